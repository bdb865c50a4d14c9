#!/usr/bin/env node
// The compiler of npm in the shape of a solc binary, for forge:
// solc.mjs --version, or --standard-json with the input on stdin.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const solc = createRequire(import.meta.url)('solc')

if (process.argv.includes('--version')) {
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}`)
} else {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
}
