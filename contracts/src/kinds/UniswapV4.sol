// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Kind} from "../Kind.sol";

interface IPoolManager {
    struct PoolKey {
        address currency0;
        address currency1;
        uint24 fee;
        int24 tickSpacing;
        address hooks;
    }

    struct SwapParams {
        bool zeroForOne;
        int256 amountSpecified; // below zero: what goes in
        uint160 sqrtPriceLimitX96;
    }

    function unlock(bytes calldata data) external returns (bytes memory);
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata data) external returns (int256 delta);
    function sync(address currency) external;
    function settle() external payable returns (uint256 paid);
    function take(address currency, address to, uint256 amount) external;
}

/// @notice A swap in a hookless pool of Uniswap V4's manager, which calls back
/// whoever unlocks it, with the very bytes it was given, and locks only when
/// nothing is owed either way. So a chain of pools is one step: what one makes
/// the next takes, and only the ends are paid. Where a pool has native, the
/// route has wrapped native.
///
///     body  hops:1 hop (token:20 hop)*, token being what the hop before made
///     hop   native:1 fee:3 tickSpacing:3
abstract contract UniswapV4 is Kind {
    uint256 internal constant KIND_UNISWAP_V4 = 5;
    uint256 internal constant UNISWAP_V4_FIRST = 8; // bytes of a body with one hop
    uint256 internal constant UNISWAP_V4_NEXT = 27; // and of every further one

    /// @dev Monad's.
    IPoolManager private constant MANAGER = IPoolManager(0x188d586Ddcf52439676Ca21A244753fA19F9Ea8e);

    uint160 private constant LOWEST = 4295128740; // TickMath.MIN_SQRT_PRICE + 1
    uint160 private constant HIGHEST = 1461446703485210103287273052203988822378723970341; // MAX_SQRT_PRICE - 1

    function swapUniswapV4(Step memory s, bytes calldata body) internal returns (uint256) {
        called = uint160(address(MANAGER));
        return abi.decode(MANAGER.unlock(abi.encode(s, body)), (uint256));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != address(MANAGER) || called != uint160(msg.sender)) revert NotCalled(msg.sender);
        called = 0;
        (Step memory s, bytes memory body) = abi.decode(data, (Step, bytes));
        (address first, address last, uint256 made) = hops(s, body);

        if (first == address(0)) {
            payNative(s);
            // Whatever was synced earlier in the transaction, by anybody, would
            // make the manager refuse native.
            MANAGER.sync(address(0));
            MANAGER.settle{value: s.amount}();
        } else {
            MANAGER.sync(first);
            pay(s, address(MANAGER));
            MANAGER.settle();
        }
        if (last == address(0)) {
            called = uint160(address(MANAGER)); // which now sends native
            MANAGER.take(last, address(this), made);
            called = 0;
            deliverNative(s, made);
        } else {
            MANAGER.take(last, s.to, made);
        }
        return abi.encode(made);
    }

    /// @dev Swaps from pool to pool. A hop that does not take up the currency
    /// the one before made leaves it owed, and the manager does not lock.
    function hops(Step memory s, bytes memory body) private returns (address first, address last, uint256 made) {
        made = s.amount;
        address token = s.tokenIn;
        for (uint256 at = 1; at < body.length; at += UNISWAP_V4_NEXT) {
            uint256 hop = word(body, at, 7);
            address next = at + 7 < body.length ? address(uint160(word(body, at + 7, 20))) : s.tokenOut;
            bool native = hop >> 48 != 0;
            address currency = native && token == wrappedNative ? address(0) : token;
            last = native && next == wrappedNative ? address(0) : next;
            if (at == 1) first = currency;
            made = swap(made, currency, last, uint24(hop >> 24), int24(uint24(hop)));
            token = next;
        }
    }

    /// @dev The bytes at an offset as a number; inside body, or it panics.
    function word(bytes memory body, uint256 at, uint256 size) private pure returns (uint256 n) {
        for (uint256 i; i < size; i++) n = n << 8 | uint8(body[at + i]);
    }

    function swap(uint256 amount, address currencyIn, address currencyOut, uint24 fee, int24 tickSpacing)
        private
        returns (uint256 made)
    {
        bool zeroForOne = currencyIn < currencyOut;
        (address currency0, address currency1) = zeroForOne ? (currencyIn, currencyOut) : (currencyOut, currencyIn);
        // An amount of 2^255 and more would mean an output: then less goes in.
        int256 delta = MANAGER.swap(
            IPoolManager.PoolKey(currency0, currency1, fee, tickSpacing, address(0)),
            IPoolManager.SwapParams(zeroForOne, -int256(amount), zeroForOne ? LOWEST : HIGHEST),
            ""
        );
        (int128 in_, int128 out) = (int128(delta >> 128), int128(delta));
        if (!zeroForOne) (in_, out) = (out, in_);
        if (-int256(in_) != int256(amount)) revert PartialFill(amount, uint256(-int256(in_)));
        if (out <= 0) revert ZeroAmount();
        made = uint128(out);
    }
}
