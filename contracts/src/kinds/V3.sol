// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Kind} from "../Kind.sol";

interface IV3Pool {
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1);
}

/// @notice A pool of Uniswap V3 or a fork of it, which pays first and then
/// calls back for its input. Every fork names that call anew, so the fallback
/// takes them all: from the pool being called, once, for the step's amount
/// exactly. A pool that cannot use all of it asks for less, and reverts here.
///
///     body  pool:20
abstract contract V3 is Kind {
    uint256 internal constant KIND_V3 = 4;
    uint256 internal constant V3_BODY = 20;

    uint160 private constant LOWEST = 4295128740; // TickMath.MIN_SQRT_RATIO + 1
    uint160 private constant HIGHEST = 1461446703485210103287273052203988822378723970341; // MAX_SQRT_RATIO - 1

    /// The pool being called and what it is owed. Once it has called back there
    /// is no pool, and what it was owed is not read again.
    uint256 private transient pool;
    uint256 private transient owed;
    uint256 private transient owedToken; // and above it, who holds that

    function swapV3(Step memory s, bytes calldata body) internal returns (uint256 made) {
        address at = address(bytes20(body));
        bool zeroForOne = s.tokenIn < s.tokenOut;
        pool = uint160(at);
        owed = s.amount;
        owedToken = uint256(s.funds) << 160 | uint160(s.tokenIn);
        // An amount of 2^255 and more would mean an output: the pool then asks
        // for something else.
        (int256 amount0, int256 amount1) =
            IV3Pool(at).swap(s.to, zeroForOne, int256(s.amount), zeroForOne ? LOWEST : HIGHEST, "");
        if (pool != 0) revert PartialFill(s.amount, 0);
        int256 out = zeroForOne ? amount1 : amount0;
        if (out >= 0) revert ZeroAmount();
        made = uint256(-out);
    }

    /// @dev All callbacks open with what the pool is owed of both tokens;
    /// below zero is what it paid.
    fallback() external {
        if (uint160(msg.sender) != pool) revert NotCalled(msg.sender);
        (int256 amount0, int256 amount1) = abi.decode(msg.data[4:], (int256, int256));
        uint256 amount = owed;
        uint256 asked = uint256(amount0 > 0 ? amount0 : amount1);
        if (asked != amount) revert PartialFill(amount, asked);
        pool = 0;
        uint256 token = owedToken;
        pay(address(uint160(token)), amount, Funds(token >> 160), msg.sender);
    }
}
