// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Lens
/// @notice Reads what would take thousands of calls. It is never deployed: its
/// code comes along with the call. A read with a grant burns about so much gas
/// and then says where to go on.
contract Lens {
    /// @notice The initialised ticks of a V3 pool in the words of its bitmap
    /// from..to. Answers the word to go on from, then tick, liquidityGross and
    /// liquidityNet of each.
    function ticks(address pool, int256 spacing, int256 from, int256 to, uint256 grant) external view {
        uint256 least = gasleft() > grant ? gasleft() - grant : 0;
        assembly {
            function ask(target, selector, argument, at, size) {
                mstore(0, shl(224, selector))
                mstore(4, argument)
                if iszero(staticcall(gas(), target, 0, 36, at, size)) { revert(0, 0) }
                if lt(returndatasize(), size) { revert(0, 0) }
            }
            let start := mload(0x40)
            let end := add(start, 32)
            for {} and(iszero(sgt(from, to)), gt(gas(), least)) { from := add(from, 1) } {
                ask(pool, 0x5339c296, from, 0, 32) // tickBitmap(int16)
                let word := mload(0)
                for { let bit := 0 } word { bit := add(bit, 1) word := shr(1, word) } {
                    if iszero(and(word, 0xff)) {
                        word := shr(7, word)
                        bit := add(bit, 7)
                        continue
                    }
                    if iszero(and(word, 1)) { continue }
                    let tick := mul(add(shl(8, from), bit), spacing)
                    mstore(end, tick)
                    ask(pool, 0xf30dba93, tick, add(end, 32), 64) // ticks(int24)
                    end := add(end, 96)
                }
            }
            mstore(start, from)
            return(start, sub(end, start))
        }
    }

    /// @notice The orders of a Kuru market at some prices, in the order they
    /// are filled. A level is a price, plus 2^32 if it is a bid. Answers how
    /// many levels were read, then the number of each order and what
    /// s_orders says of it.
    function orders(address market, uint256 grant, uint256[] calldata levels) external view {
        uint256 least = gasleft() > grant ? gasleft() - grant : 0;
        assembly {
            function ask(target, selector, argument, at, size) {
                mstore(0, shl(224, selector))
                mstore(4, argument)
                if iszero(staticcall(gas(), target, 0, 36, at, size)) { revert(0, 0) }
                if lt(returndatasize(), size) { revert(0, 0) }
            }
            let start := mload(0x40)
            let end := add(start, 32)
            let i := 0
            for {} and(lt(i, levels.length), gt(gas(), least)) { i := add(i, 1) } {
                let level := calldataload(add(levels.offset, shl(5, i)))
                let points := 0x0e2e2ffe // s_sellPricePoints(uint256)
                if shr(32, level) { points := 0xe6d29b51 } // s_buyPricePoints(uint256)
                ask(market, points, and(level, 0xffffffff), 0, 64)
                for { let id := mload(0) } id { id := mload(sub(end, 160)) } {
                    mstore(end, id)
                    ask(market, 0x1c0d9c22, id, add(end, 32), 256) // s_orders(uint40)
                    end := add(end, 288)
                }
            }
            mstore(start, i)
            return(start, sub(end, start))
        }
    }

    /// @notice What tokens say to decimals(), symbol() and name(), with so much
    /// gas for each question and no more: whatever a token does, the others are
    /// heard. Answers how many bytes came, a kilobyte at the most, and these,
    /// filled up to whole words; 2^256-1 and nothing where the question failed.
    function tokens(uint256 each, address[] calldata list) external view {
        assembly {
            mstore(0, shl(160, 0x313ce56795d89b4106fdde03))
            let start := mload(0x40)
            let end := start
            for { let i := 0 } lt(i, list.length) { i := add(i, 1) } {
                let token := calldataload(add(list.offset, shl(5, i)))
                for { let question := 0 } lt(question, 12) { question := add(question, 4) } {
                    let size := not(0)
                    let said := add(end, 32)
                    let next := said
                    if staticcall(each, token, question, 4, said, 1024) {
                        size := returndatasize()
                        if gt(size, 1024) { size := 1024 }
                        next := add(said, and(add(size, 31), not(31)))
                    }
                    mstore(end, size)
                    end := next
                }
            }
            return(start, sub(end, start))
        }
    }
}
