// Kuru's order book comes compiled in its package. What stands around it on the
// local chain, which the package lacks or has out of step with the book, is ours.

import { join } from 'node:path'

export default ({ modules, json, Fault }) => {
  const path = join(modules, '@kuru-labs', 'kuru-sdk', 'abi', 'OrderBook.json')
  function book() {
    const { abi, bytecode } = json(path)
    if (!bytecode) throw new Fault('the order book of npm holds no code')
    return { KuruOrderBook: { abi, code: bytecode } }
  }
  return [{ name: 'Kuru', inputs: [path], run: async () => book() }]
}
