// Builds the contracts.
//
//   node contracts/build.mjs [--artifacts DIR] [--fees 1,100]
//   node contracts/build.mjs --write
//   node contracts/build.mjs --check
//
// Venue code comes from npm and goes, with the contracts of the tests, to
// build/artifacts, which is not committed. --write also compiles our own
// contracts into contracts/out, which is; --check compiles and compares them
// and writes nothing. Every file is {"abi": […], "code": "0x…"}, the code being
// creation code. A job whose inputs and outputs are as its last run left them
// is not run again.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(here)
const modules = join(root, 'node_modules')
const out = join(here, 'out')
const require = createRequire(import.meta.url)

class Fault extends Error {}

const read = (path) => readFileSync(path, 'utf8')
const json = (path) => JSON.parse(read(path))
const solidity = (folder) =>
  readdirSync(folder, { recursive: true }).filter((f) => f.endsWith('.sol')).sort().map((f) => join(folder, f))

function options() {
  const { values } = parseArgs({
    options: {
      write: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      artifacts: { type: 'string', default: join(root, 'build', 'artifacts') },
      fees: { type: 'string', default: '' },
    },
  })
  const fees = json(join(root, 'monad', 'sources.json')).filter((s) => s.family === 'univ2').map((s) => s.feeBps)
  for (const text of values.fees.split(',').filter(Boolean)) fees.push(Number(text))
  const wrong = fees.find((fee) => !Number.isInteger(fee) || fee < 0 || fee >= 10_000)
  if (wrong !== undefined) throw new Fault(`a fee must be an integer of basis points below 10000, not ${wrong}`)
  return { ...values, artifacts: resolve(values.artifacts), fees: [...new Set(fees)].sort((a, b) => a - b) }
}

// compile gives {name: {abi, code}} for the contracts of files, {path: text}.
// A warning about our own code is an error.
function compile(compiler, files, settings) {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(files).map(([path, content]) => [path, { content }])),
    settings: { ...settings, outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  }
  const output = JSON.parse(require(compiler).compile(JSON.stringify(input)))
  const errors = (output.errors ?? []).filter((e) => e.severity === 'error' || compiler === 'solc')
  if (errors.length) throw new Fault(errors.map((e) => e.formattedMessage).join('\n'))
  const contracts = {}
  for (const file of Object.values(output.contracts)) {
    for (const [name, c] of Object.entries(file)) contracts[name] = { abi: c.abi, code: '0x' + c.evm.bytecode.object }
  }
  return contracts
}

// Nothing of the machine or the day enters our code: it is the same to the
// byte wherever it is compiled, and so are the addresses derived from it.
const settings = {
  evmVersion: 'cancun',
  viaIR: true,
  optimizer: { enabled: true, runs: 1_000_000 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
}

function ours(paths) {
  return compile('solc', Object.fromEntries(paths.map((p) => [relative(here, p), read(p)])), settings)
}

function own() {
  const { Router, Executor, Token } = ours([...solidity(join(here, 'src')), ...solidity(join(here, 'dev'))])
  return { Router, Executor, Token }
}

// The contracts of the tests are those that can be deployed.
function hostile() {
  const built = ours([...solidity(join(here, 'test')), join(here, 'src', 'Transfer.sol')])
  delete built.Transfer
  return Object.fromEntries(Object.entries(built).filter(([, c]) => c.code !== '0x'))
}

function wrappedNative() {
  const { abi, bytecode } = json(join(modules, 'canonical-weth', 'build', 'contracts', 'WETH9.json'))
  return { WETH9: { abi, code: bytecode } }
}

async function multicall() {
  const constants = pathToFileURL(join(modules, 'viem', '_esm', 'constants', 'contracts.js'))
  const { multicall3Bytecode } = await import(constants)
  const { multicall3Abi } = await import('viem')
  return { Multicall3: { abi: multicall3Abi, code: multicall3Bytecode } }
}

// Uniswap V2 with a fee compiled into the pair; at 30 bps, Uniswap's own build.
const v2Core = join(modules, '@uniswap', 'v2-core')
const v2InitCodeHash = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f'

async function v2(fee) {
  const { UniswapV2Factory, UniswapV2Pair } = fee === 30 ? await v2Canonical() : v2Fork(fee)
  return { [`UniswapV2Factory-${fee}`]: UniswapV2Factory, [`UniswapV2Pair-${fee}`]: UniswapV2Pair }
}

async function v2Canonical() {
  const built = {}
  for (const name of ['UniswapV2Factory', 'UniswapV2Pair']) {
    const { abi, evm } = json(join(v2Core, 'build', `${name}.json`))
    built[name] = { abi, code: '0x' + evm.bytecode.object }
  }
  const { keccak256 } = await import('viem')
  const hash = keccak256(built.UniswapV2Pair.code)
  if (hash !== v2InitCodeHash) throw new Fault(`UniswapV2Pair of npm has init code hash ${hash}, not ${v2InitCodeHash}`)
  return built
}

function v2Fork(fee) {
  const files = {}
  for (const path of solidity(join(v2Core, 'contracts'))) files[relative(v2Core, path)] = read(path)
  const pair = 'contracts/UniswapV2Pair.sol'
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

function write(folder, name, artifact) {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.json`)
  writeFileSync(path + '.new', JSON.stringify(artifact) + '\n')
  renameSync(path + '.new', path)
}

// A stamp is the digest of all that went into a job and all that came out.
function digest(paths) {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(relative(root, path)).update('\0').update(existsSync(path) ? read(path) : '').update('\0')
  return hash.digest('hex')
}

async function build({ write: all, artifacts, fees }) {
  const shared = [fileURLToPath(import.meta.url), join(root, 'package-lock.json')]
  const jobs = [
    ...(all ? [{ name: 'contracts', to: out, from: ['src', 'dev'], run: own }] : []),
    { name: 'test contracts', to: artifacts, from: ['src', 'test'], run: hostile },
    { name: 'WETH9', to: artifacts, from: [], run: wrappedNative },
    { name: 'Multicall3', to: artifacts, from: [], run: multicall },
    ...fees.map((fee) => ({ name: `UniswapV2 at ${fee} bps`, to: artifacts, from: [], run: () => v2(fee) })),
  ]
  const kept = join(artifacts, '.stamps.json')
  const stamps = existsSync(kept) ? json(kept) : {}
  for (const { name, to, from, run } of jobs) {
    const inputs = [...shared, ...from.flatMap((folder) => solidity(join(here, folder)))]
    const stamp = (names) => ({ names, digest: digest([...inputs, ...names.map((n) => join(to, `${n}.json`))]) })
    if (stamps[name] && stamp(stamps[name].names).digest === stamps[name].digest) continue
    console.log(`building ${name}`)
    const built = await run()
    for (const [file, artifact] of Object.entries(built)) write(to, file, artifact)
    stamps[name] = stamp(Object.keys(built))
    write(artifacts, '.stamps', stamps)
  }
  console.log(`artifacts are in ${relative(process.cwd(), artifacts) || '.'}`)
}

function check() {
  for (const [name, artifact] of Object.entries(own())) {
    const path = join(out, `${name}.json`)
    if (!existsSync(path) || read(path) !== JSON.stringify(artifact) + '\n') {
      throw new Fault(`contracts/out/${name}.json is not what its source compiles to: run make contracts`)
    }
  }
  console.log('contracts/out is what the sources compile to')
}

try {
  if (!existsSync(join(modules, 'solc'))) throw new Fault('node_modules is missing: run npm install')
  const flags = options()
  if (flags.check) check()
  else await build(flags)
} catch (e) {
  if (!(e instanceof Fault) && !e.code?.startsWith('ERR_PARSE_ARGS')) throw e
  console.error(`contracts: ${e.message}`)
  process.exit(1)
}
