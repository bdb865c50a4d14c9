// Balancer V3 is on npm as source only. The vault and its pools are compiled
// as their authors do, through the IR, which takes minutes: hence one job.

import { createRequire } from 'node:module'
import { basename, join } from 'node:path'

const vault = '@balancer-labs/v3-vault/contracts/'
const wanted = [
  vault + 'Vault.sol',
  vault + 'VaultExtension.sol',
  vault + 'VaultAdmin.sol',
  vault + 'ProtocolFeeController.sol',
  '@balancer-labs/v3-pool-weighted/contracts/WeightedPool.sol',
  '@balancer-labs/v3-pool-stable/contracts/StablePool.sol',
]

const settings = {
  evmVersion: 'cancun',
  viaIR: true,
  optimizer: { enabled: true, runs: 500 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
}

function balancer({ modules, read, Fault }) {
  const solc = createRequire(join(modules, '.'))('solc-0.8.26')
  const sources = {}
  const outputSelection = {}
  for (const path of wanted) {
    sources[path] = { content: read(join(modules, path)) }
    outputSelection[path] = { [basename(path, '.sol')]: ['abi', 'evm.bytecode.object'] }
  }
  const input = { language: 'Solidity', sources, settings: { ...settings, outputSelection } }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: (path) => ({ contents: read(join(modules, path)) }) }))
  const errors = (output.errors ?? []).filter((e) => e.severity === 'error')
  if (errors.length) throw new Fault(errors.map((e) => e.formattedMessage).join('\n'))
  const built = {}
  for (const path of wanted) {
    const name = basename(path, '.sol')
    const { abi, evm } = output.contracts[path][name]
    built[`Balancer${name}`] = { abi, code: '0x' + evm.bytecode.object }
  }
  return built
}

export default (tools) => [{ name: 'Balancer V3', inputs: [], seconds: 60, run: async () => balancer(tools) }]
