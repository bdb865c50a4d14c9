// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20, IWrappedNative, Transfer} from "./Transfer.sol";

interface IRouter {
    function pull(address to, uint256 amount) external;
}

/// @title Kind
/// @notice What every kind of step is made of. A kind is an abstract contract
/// in kinds/ with the length of its body and one function
///
///     swapX(Step memory s, bytes calldata body) internal returns (uint256 made)
///
/// that takes s.amount of s.tokenIn, pays what it makes of s.tokenOut to s.to,
/// and reverts unless all of s.amount was used. A kind whose venue cannot take
/// the last few units (an order book's dust) lowers s.amount by them.
abstract contract Kind {
    using Transfer for address;

    error ZeroAmount();
    error PartialFill(uint256 amount, uint256 used);
    error NotCalled(address caller);
    error NotNative();

    /// Who holds the amount of a step before it.
    enum Funds {
        Router,
        Here,
        Pool
    }

    struct Step {
        address tokenIn;
        address tokenOut;
        uint256 amount; // of tokenIn
        Funds funds;
        address to; // who gets tokenOut
    }

    address public immutable router;
    address public immutable wrappedNative;

    /// The contract being called, which alone may call back or send native. A
    /// whole word is written without being read.
    uint256 internal transient called;

    constructor(address router_, address wrappedNative_) {
        router = router_;
        wrappedNative = wrappedNative_;
    }

    /// @dev Fits the 2,300 gas wrapped native gives along.
    receive() external payable {
        if (msg.sender != wrappedNative && uint160(msg.sender) != called) revert NotCalled(msg.sender);
    }

    /// @dev Pays the amount of the step to an account.
    function pay(Step memory s, address to) internal {
        pay(s.tokenIn, s.amount, s.funds, to);
    }

    function pay(address token, uint256 amount, Funds funds, address to) internal {
        if (funds == Funds.Router) IRouter(router).pull(to, amount);
        else if (funds == Funds.Here && to != address(this)) token.send(to, amount);
    }

    /// @dev Pays the amount of the step to this contract and unwraps it.
    function payNative(Step memory s) internal {
        if (s.tokenIn != wrappedNative) revert NotNative();
        pay(s, address(this));
        IWrappedNative(wrappedNative).withdraw(s.amount);
    }

    /// @dev Pays the amount of the step to this contract and approves its venue.
    /// @return all what then is here of tokenIn, if all of the amount arrived
    function lend(Step memory s, address venue) internal returns (uint256 all) {
        all = balance(s.tokenIn);
        if (s.funds == Funds.Router) all += s.amount;
        pay(s, address(this));
        s.tokenIn.allow(venue, s.amount);
    }

    /// @dev Revokes the approval of lend.
    /// @return used what is gone of all, be it with the venue or on the way here
    function reclaim(Step memory s, address venue, uint256 all) internal returns (uint256 used) {
        s.tokenIn.allow(venue, 0);
        return all - balance(s.tokenIn);
    }

    /// @dev Wraps native currency that a venue paid here, and sends it on.
    function deliverNative(Step memory s, uint256 amount) internal {
        if (s.tokenOut != wrappedNative) revert NotNative();
        IWrappedNative(wrappedNative).deposit{value: amount}();
        deliver(s, amount);
    }

    /// @dev Sends on what a venue could only pay here.
    function deliver(Step memory s, uint256 amount) internal {
        if (amount == 0) revert ZeroAmount();
        if (s.to != address(this)) s.tokenOut.send(s.to, amount);
    }

    function balance(address token) internal view returns (uint256) {
        return token == address(0) ? address(this).balance : IERC20(token).balanceOf(address(this));
    }
}
