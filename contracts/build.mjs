// Builds the contracts.
//
//   node contracts/build.mjs [--artifacts DIR] [--for run] [--dry-run]
//   node contracts/build.mjs --write
//   node contracts/build.mjs --check
//
// Venue code comes from npm, by the artifacts.mjs of each family, and goes with
// the contracts of the local chain and of the tests to build/artifacts, which
// is not committed. --write first compiles our own contracts into contracts/out,
// which is committed; --check compiles them, compares them with contracts/out and
// writes nothing. Every file is {"abi": […], "code": "0x…"}. The code is creation
// code, except that of Lens and Trial, which is runtime code: they are never deployed.
// A job whose inputs and outputs have not changed since its last run is skipped.
// --for run leaves out what only tests use; --dry-run lists the jobs that would run.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker, isMainThread, parentPort } from 'node:worker_threads'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(here)
const modules = join(root, 'node_modules')
const out = join(here, 'out')
const require = createRequire(import.meta.url)

class Fault extends Error {}

const read = (path) => readFileSync(path, 'utf8')
const json = (path) => JSON.parse(read(path))
const solidity = (folder) =>
  readdirSync(folder, { recursive: true }).filter((f) => f.endsWith('.sol') && !f.endsWith('.t.sol')).sort().map((f) => join(folder, f))

function options() {
  const { values } = parseArgs({
    options: {
      write: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      artifacts: { type: 'string', default: join(root, 'build', 'artifacts') },
      for: { type: 'string', default: 'test' },
      'dry-run': { type: 'boolean', default: false },
    },
  })
  if (!['run', 'test'].includes(values.for)) throw new Fault(`--for ${values.for} is neither run nor test`)
  return { ...values, artifacts: resolve(values.artifacts) }
}

// compile gives {name: {abi, code}} for the contracts of files, {path: text}.
// A warning about our own code is an error.
function compile(compiler, files, settings) {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(files).map(([path, content]) => [path, { content }])),
    settings: { ...settings, outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } } },
  }
  const output = JSON.parse(require(compiler).compile(JSON.stringify(input)))
  const errors = (output.errors ?? []).filter((e) => e.severity === 'error' || compiler === 'solc')
  if (errors.length) throw new Fault(errors.map((e) => e.formattedMessage).join('\n'))
  const contracts = {}
  for (const file of Object.values(output.contracts)) {
    for (const [name, c] of Object.entries(file)) {
      const code = ['Lens', 'Trial'].includes(name) ? c.evm.deployedBytecode : c.evm.bytecode
      contracts[name] = { abi: c.abi, code: '0x' + code.object }
    }
  }
  return contracts
}

// Without metadata the bytecode depends on nothing but the sources: it is the same
// wherever it is compiled, and so are the addresses derived from it.
const settings = {
  evmVersion: 'cancun',
  viaIR: true,
  optimizer: { enabled: true, runs: 1_000_000 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
}

function compileOwn(paths) {
  return compile('solc', Object.fromEntries(paths.map((p) => [relative(here, p), read(p)])), settings)
}

function ownContracts() {
  const { Router, Executor, Lens, Trial, Token } = compileOwn([...solidity(join(here, 'src')), join(here, 'dev', 'Token.sol')])
  return { Router, Executor, Lens, Trial, Token }
}

// Contracts of a folder that can be deployed.
function deployable(folder) {
  const built = compileOwn([...solidity(join(here, folder)), join(here, 'src', 'Transfer.sol')])
  delete built.Transfer
  return Object.fromEntries(Object.entries(built).filter(([, c]) => c.code !== '0x'))
}

// The contracts of the local chain need not be compiled: they are taken as
// committed.
const ofLocalChain = join(out, 'dev')
const committed = (folder) => readdirSync(folder).filter((f) => f.endsWith('.json')).sort()

function localChain() {
  return Object.fromEntries(committed(ofLocalChain).map((f) => [f.replace(/\.json$/, ''), json(join(ofLocalChain, f))]))
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

// Permit2 has the same address on every chain, which follows from its code: a build
// that gives another address is not Permit2.
const permit2Home = join(modules, '@uniswap', 'v4-periphery', 'lib', 'permit2')
const permit2Files = () => [...solidity(join(permit2Home, 'src')), ...['tokens/ERC20', 'utils/SafeTransferLib'].map((f) => join(permit2Home, 'lib', 'solmate', 'src', `${f}.sol`))]

async function permit2() {
  const { getContractAddress } = await import('viem')
  const files = Object.fromEntries(permit2Files().map((p) => [relative(permit2Home, p), read(p)]))
  const { Permit2 } = compile('solc-0.8.17', files, {
    remappings: ['solmate/=lib/solmate/'],
    evmVersion: 'london',
    viaIR: true,
    optimizer: { enabled: true, runs: 1_000_000 },
    metadata: { bytecodeHash: 'none' },
  })
  const at = getContractAddress({
    opcode: 'CREATE2',
    from: '0x4e59b44847b379578588920cA78FbF26c0B4956C',
    salt: '0x0000000000000000000000000000000000000000d3af2663da51c10215000000',
    bytecode: Permit2.code,
  })
  if (at !== '0x000000000022D473030F116dDEE9F6B43aC78BA3') throw new Fault(`Permit2 of npm compiles to the address ${at}, not to that of Permit2: check the versions in package-lock.json`)
  return { Permit2 }
}

// Uniswap's own router of V3, for comparison of gas.
function swapRouter() {
  const { abi, bytecode } = json(join(modules, '@uniswap', 'v3-periphery', 'artifacts', 'contracts', 'SwapRouter.sol', 'SwapRouter.json'))
  return { SwapRouter: { abi, code: bytecode } }
}

function write(folder, name, artifact) {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.json`)
  writeFileSync(path + '.new', JSON.stringify(artifact) + '\n')
  renameSync(path + '.new', path)
}

// A stamp holds the digest of all inputs and outputs of a job.
function digest(paths) {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(relative(root, path)).update('\0').update(existsSync(path) ? read(path) : '').update('\0')
  return hash.digest('hex')
}

// Each family has an artifacts.mjs with the jobs that build its venues' code.
async function families() {
  const tools = { root, modules, read, json, solidity, compile, Fault }
  const jobs = []
  for (const name of readdirSync(join(root, 'venue')).sort()) {
    const path = join(root, 'venue', name, 'artifacts.mjs')
    if (!existsSync(path)) continue
    const { default: make } = await import(pathToFileURL(path))
    jobs.push(...make(tools).map((job) => ({ ...job, inputs: [path, ...job.inputs] })))
  }
  return jobs
}

// All jobs. `seconds` is about how long a slow one takes. The output of a job with a
// folder of its own (`to`) is committed.
async function allJobs() {
  const sources = (...folders) => folders.flatMap((folder) => solidity(join(here, folder)))
  return [
    { name: 'contracts', to: out, inputs: sources('src', 'dev'), seconds: 40, run: ownContracts },
    { name: 'contracts of the local chain', to: ofLocalChain, inputs: sources('src', 'dev'), seconds: 20, run: () => deployable('dev') },
    { name: 'local chain', inputs: committed(ofLocalChain).map((f) => join(ofLocalChain, f)), run: localChain },
    { name: 'contracts of the tests', inputs: sources('src', 'test'), seconds: 3, testOnly: true, run: () => deployable('test') },
    { name: 'WETH9', inputs: [], run: wrappedNative },
    { name: 'Multicall3', inputs: [], run: multicall },
    { name: 'Permit2', inputs: permit2Files(), seconds: 20, run: permit2 },
    { name: 'SwapRouter', inputs: [], testOnly: true, run: swapRouter },
    ...(await families()),
  ]
}

// The main function of a worker thread: it runs jobs by their names.
async function work() {
  const jobs = await allJobs()
  parentPort.on('message', async (name) => {
    try {
      parentPort.postMessage({ built: await jobs.find((job) => job.name === name).run() })
    } catch (e) {
      parentPort.postMessage({ fault: e instanceof Fault ? e.message : e.stack })
    }
  })
}

// A compiler blocks its thread, so jobs run in worker threads, the longest first;
// done is called with the output of each.
async function runJobs(jobs, done) {
  const queue = [...jobs].sort((a, b) => (b.seconds ?? 0) - (a.seconds ?? 0))
  const drain = async () => {
    const worker = new Worker(fileURLToPath(import.meta.url))
    try {
      for (let job; (job = queue.shift()); ) {
        if (job.seconds) progress(`compiling ${job.name}, about ${job.seconds} s of work`)
        worker.postMessage(job.name)
        const [{ built, fault }] = await once(worker, 'message')
        if (fault) throw new Fault(`${job.name}: ${fault}`)
        done(job, built)
        if (job.seconds) progress(`compiled ${job.name}`)
      }
    } finally {
      await worker.terminate()
    }
  }
  await Promise.all(Array.from({ length: Math.min(jobs.length, availableParallelism(), 4) }, drain))
}

// Progress lines begin with the seconds since make was started (BEGAN), if it was.
const began = Number(process.env.BEGAN) || Date.now() / 1000

function progress(line) {
  console.log(`${Math.round(Date.now() / 1000 - began)} s`.padStart(6) + `  ${line}`)
}

async function build({ write: all, artifacts, for: purpose, 'dry-run': dry }) {
  const shared = [fileURLToPath(import.meta.url), join(root, 'package-lock.json')]
  const kept = join(artifacts, '.stamps.json')
  const stamps = existsSync(kept) ? json(kept) : {}
  const stamp = ({ to = artifacts, inputs }, names) => ({
    names, digest: digest([...shared, ...inputs, ...names.map((n) => join(to, `${n}.json`))]),
  })
  const isStale = (job) => !stamps[job.name] || stamp(job, stamps[job.name].names).digest !== stamps[job.name].digest
  const done = (job, built) => {
    for (const [file, artifact] of Object.entries(built)) write(job.to ?? artifacts, file, artifact)
    stamps[job.name] = stamp(job, Object.keys(built))
    write(artifacts, '.stamps', stamps)
  }
  if (all) await runJobs((await allJobs()).filter((job) => job.to && isStale(job)), done)
  const stale = (await allJobs()).filter((job) => !job.to && (purpose === 'test' || !job.testOnly) && isStale(job))
  if (dry) return stale.forEach(({ name }) => console.log(name))
  await runJobs(stale, done)
  if (stale.length) progress(`contracts are in ${relative(process.cwd(), artifacts) || '.'}`)
}

async function check() {
  for (const { to, run } of (await allJobs()).filter((job) => job.to)) {
    const compiled = Object.entries(await run()).map(([name, artifact]) => [`${name}.json`, JSON.stringify(artifact) + '\n'])
    for (const [file, text] of compiled) {
      const path = join(to, file)
      if (!existsSync(path) || read(path) !== text) {
        throw new Fault(`${relative(root, path)} is not what its source compiles to: run make contracts`)
      }
    }
    for (const file of committed(to)) {
      if (!compiled.some(([name]) => name === file)) throw new Fault(`${relative(root, join(to, file))} has no source: delete it`)
    }
  }
  console.log('contracts/out is what the sources compile to')
}

try {
  if (!existsSync(join(modules, 'solc'))) throw new Fault('node_modules is missing: run `make artifacts`, which installs it')
  const flags = options()
  if (flags.check) await check()
  else if (isMainThread) await build(flags)
  else await work()
} catch (e) {
  if (!(e instanceof Fault) && !e.code?.startsWith('ERR_PARSE_ARGS')) throw e
  console.error(`contracts: ${e.message}`)
  process.exit(1)
}
