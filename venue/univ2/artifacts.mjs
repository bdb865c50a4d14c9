// Uniswap V2 comes compiled in its package. Its forks have another fee compiled
// into the pair: the same source, with the fee changed.

import { join, relative } from 'node:path'
import { keccak256 } from 'viem'

const initCodeHash = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f'
const pair = 'contracts/UniswapV2Pair.sol'

export default ({ modules, root, read, json, solidity, compile, Fault }) => {
  const core = join(modules, '@uniswap', 'v2-core')
  const sources = join(root, 'monad', 'sources.json')
  const fees = new Set(json(sources).filter((s) => s.family === 'univ2').map((s) => s.feeBps))

  function canonical() {
    const built = {}
    for (const name of ['UniswapV2Factory', 'UniswapV2Pair']) {
      const { abi, evm } = json(join(core, 'build', `${name}.json`))
      built[name] = { abi, code: '0x' + evm.bytecode.object }
    }
    const hash = keccak256(built.UniswapV2Pair.code)
    if (hash !== initCodeHash) throw new Fault(`UniswapV2Pair of npm has init code hash ${hash}, not ${initCodeHash}`)
    return built
  }

  function fork(fee) {
    const files = {}
    for (const path of solidity(join(core, 'contracts'))) files[relative(core, path)] = read(path)
    for (const [from, to] of [
      ['balance0.mul(1000).sub(amount0In.mul(3))', `balance0.mul(10000).sub(amount0In.mul(${fee}))`],
      ['balance1.mul(1000).sub(amount1In.mul(3))', `balance1.mul(10000).sub(amount1In.mul(${fee}))`],
      ['mul(1000**2)', 'mul(10000**2)'],
    ]) {
      if (files[pair].split(from).length !== 2) throw new Fault(`${pair} of npm does not hold "${from}" once`)
      files[pair] = files[pair].replace(from, to)
    }
    return compile('solc-0.5.16', files, { evmVersion: 'istanbul', optimizer: { enabled: true, runs: 999_999 } })
  }

  return [...fees].map((fee) => ({
    name: `UniswapV2 at ${fee} bps`,
    inputs: [],
    ...(fee === 30 ? {} : { seconds: 5 }),
    run: async () => {
      const { UniswapV2Factory, UniswapV2Pair } = fee === 30 ? canonical() : fork(fee)
      return { [`UniswapV2Factory-${fee}`]: UniswapV2Factory, [`UniswapV2Pair-${fee}`]: UniswapV2Pair }
    },
  }))
}
