// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Kind} from "../Kind.sol";

interface IBalancerVault {
    struct Swap {
        uint8 kind; // 0: the amount is what goes in
        address pool;
        address tokenIn;
        address tokenOut;
        uint256 amount;
        uint256 limit;
        bytes data;
    }

    function unlock(bytes calldata data) external returns (bytes memory);
    function settle(address token, uint256 amount) external returns (uint256 credit);
    function swap(Swap calldata s) external returns (uint256 calculated, uint256 amountIn, uint256 amountOut);
    function sendTo(address token, address to, uint256 amount) external;
}

/// @notice A swap in a pool of the Balancer V3 vault, which is paid before it is
/// unlocked. The vault calls back whoever unlocks it, with the very bytes it
/// was given, and locks only when all it was owed is settled.
///
///     body  pool:20
abstract contract BalancerV3 is Kind {
    uint256 internal constant KIND_BALANCER_V3 = 6;
    uint256 internal constant BALANCER_V3_BODY = 20;

    /// @dev The same on every chain.
    address private constant VAULT = 0xbA1333333333a1BA1108E8412f11850A5C319bA9;

    function swapBalancerV3(Step memory s, bytes calldata body) internal returns (uint256) {
        address pool = address(bytes20(body));
        pay(s, VAULT);
        called = uint160(VAULT);
        bytes memory data = abi.encodeCall(this.balancerUnlocked, (pool, s.tokenIn, s.tokenOut, s.amount, s.to));
        return abi.decode(IBalancerVault(VAULT).unlock(data), (uint256));
    }

    function balancerUnlocked(address pool, address tokenIn, address tokenOut, uint256 amount, address to)
        external
        returns (uint256 made)
    {
        if (msg.sender != VAULT || called != uint160(VAULT)) revert NotCalled(msg.sender);
        called = 0;
        IBalancerVault vault = IBalancerVault(VAULT);
        vault.settle(tokenIn, amount);
        (,, made) = vault.swap(IBalancerVault.Swap(0, pool, tokenIn, tokenOut, amount, 0, ""));
        if (made == 0) revert ZeroAmount();
        vault.sendTo(tokenOut, to, made);
    }
}
