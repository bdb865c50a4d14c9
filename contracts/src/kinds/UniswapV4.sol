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
/// nothing is owed either way. Where a pool has native, the route has wrapped
/// native.
///
///     body  native:1 fee:3 tickSpacing:3
abstract contract UniswapV4 is Kind {
    uint256 internal constant UNISWAP_V4_BODY = 7;

    /// @dev Monad's.
    IPoolManager private constant MANAGER = IPoolManager(0x188d586Ddcf52439676Ca21A244753fA19F9Ea8e);

    uint160 private constant LOWEST = 4295128740; // TickMath.MIN_SQRT_PRICE + 1
    uint160 private constant HIGHEST = 1461446703485210103287273052203988822378723970341; // MAX_SQRT_PRICE - 1

    function swapUniswapV4(Step memory s, bytes calldata body) internal returns (uint256) {
        called = address(MANAGER);
        return abi.decode(MANAGER.unlock(abi.encode(s, uint56(bytes7(body)))), (uint256));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != address(MANAGER) || called != msg.sender) revert NotCalled(msg.sender);
        called = address(0);
        (Step memory s, uint56 body) = abi.decode(data, (Step, uint56));
        bool native = body >> 48 != 0;
        address currencyIn = native && s.tokenIn == wrappedNative ? address(0) : s.tokenIn;
        address currencyOut = native && s.tokenOut == wrappedNative ? address(0) : s.tokenOut;

        uint256 made = swap(s.amount, currencyIn, currencyOut, uint24(body >> 24), int24(uint24(body)));

        if (currencyIn == address(0)) {
            payNative(s);
            MANAGER.settle{value: s.amount}();
        } else {
            MANAGER.sync(currencyIn);
            pay(s, address(MANAGER));
            MANAGER.settle();
        }
        if (currencyOut == address(0)) {
            called = address(MANAGER); // which now sends native
            MANAGER.take(currencyOut, address(this), made);
            called = address(0);
            deliverNative(s, made);
        } else {
            MANAGER.take(currencyOut, s.to, made);
        }
        return abi.encode(made);
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
