// Uniswap V3 and PancakeSwap V3 come compiled in their packages. A fork that
// differs only in the name of its swap callback is Uniswap's code with another
// selector.

import { join } from 'node:path'
import { keccak256, toBytes } from 'viem'

const initCodeHash = {
  UniswapV3Pool: '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54',
  PancakeV3Pool: '0x6ce8eb472fa82df5469c6ab6d485f17c3ad13c8cd7af59b3d4a8026c5ce0f7e2',
}

const selector = (name) => keccak256(toBytes(`${name}(int256,int256,bytes)`)).slice(2, 10)

export default ({ modules, root, json, Fault }) => {
  const uniswap = (name) => join(modules, '@uniswap', 'v3-core', 'artifacts', 'contracts', `${name}.sol`, `${name}.json`)
  const pancake = (name) => join(modules, '@pancakeswap', 'v3-core', 'artifacts', 'contracts', `${name}.sol`, `${name}.json`)
  const sources = join(root, 'monad', 'sources.json')

  const packaged = (path, name) => {
    const { abi, bytecode } = json(path(name))
    const hash = keccak256(bytecode)
    if (initCodeHash[name] && hash !== initCodeHash[name]) {
      throw new Fault(`${name} of npm has init code hash ${hash}, not ${initCodeHash[name]}`)
    }
    return { abi, code: bytecode }
  }

  // A pool names its callback twice, once a direction, by a PUSH4.
  const renamed = ({ abi, code }, callback) => {
    const from = '63' + selector('uniswapV3SwapCallback')
    if (code.split(from).length !== 3) throw new Fault('the V3 factory of npm does not hold its callback twice')
    return { abi, code: code.replaceAll(from, '63' + selector(callback)) }
  }

  return [
    {
      name: 'UniswapV3',
      inputs: [uniswap('UniswapV3Factory'), uniswap('UniswapV3Pool'), sources],
      run: async () => {
        const UniswapV3Factory = packaged(uniswap, 'UniswapV3Factory')
        const built = { UniswapV3Factory, UniswapV3Pool: packaged(uniswap, 'UniswapV3Pool') }
        for (const { callback } of json(sources).filter((s) => s.family === 'univ3' && s.callback)) {
          built[`UniswapV3Factory-${callback}`] = renamed(UniswapV3Factory, callback)
        }
        return built
      },
    },
    {
      name: 'PancakeSwapV3',
      inputs: [pancake('PancakeV3Factory'), pancake('PancakeV3Pool')],
      run: async () => ({
        PancakeV3Factory: packaged(pancake, 'PancakeV3Factory'),
        PancakeV3Pool: packaged(pancake, 'PancakeV3Pool'),
      }),
    },
  ]
}
