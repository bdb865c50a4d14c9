// The PoolManager comes compiled in its package.

import { join } from 'node:path'

export default ({ modules, json, Fault }) => {
  const manager = join(modules, '@uniswap', 'v4-core', 'out', 'PoolManager.sol', 'PoolManager.json')
  return [
    {
      name: 'UniswapV4',
      inputs: [manager],
      run: async () => {
        const { abi, bytecode } = json(manager)
        if (!bytecode?.object) throw new Fault('PoolManager of npm holds no code')
        return { UniswapV4PoolManager: { abi, code: bytecode.object } }
      },
    },
  ]
}
