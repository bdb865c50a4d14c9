// Kuru's order book comes compiled in its package; what the package lacks, the
// accounts and contracts around the book, is ours.

import { join } from 'node:path'

export default ({ modules, json, Fault }) => {
  const book = join(modules, '@kuru-labs', 'kuru-sdk', 'abi', 'OrderBook.json')
  return [
    {
      name: 'Kuru',
      inputs: [book],
      run: async () => {
        const { abi, bytecode } = json(book)
        if (!bytecode) throw new Fault('the order book of npm holds no code')
        return { KuruOrderBook: { abi, code: bytecode } }
      },
    },
  ]
}
