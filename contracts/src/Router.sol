// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20, IWrappedNative, Transfer} from "./Transfer.sol";

interface IExecutor {
    function execute(
        address sender,
        address tokenIn,
        uint256 amountIn,
        address tokenOut,
        address to,
        bytes calldata route
    ) external;
}

/// @title Router
/// @notice The contract users approve. It has no owner, no storage, no proxy
/// and no delegatecall, and never makes a call whose target and data are both
/// the caller's choice. How venues are paid and called is the Executor's
/// business; the Router only lends it the caller's tokens and sees to it that
/// the recipient is paid. A caller may name any executor: a hostile one can
/// lose what this caller put in, and nothing else.
///
/// Laws:
/// 1. Tokens move only out of msg.sender, only tokenIn, at most amountIn, only
///    during its own call.
/// 2. The recipient gets at least minOut >= 1, or all reverts.
/// 3. msg.value is 0, or exactly amountIn with tokenIn = wrapped native. The
///    same calldata serves both.
/// 4. While a swap runs nothing enters but pull from the running executor and
///    native from wrapped native.
/// 5. After a call the Router holds what it held before: what lies here
///    belongs to nobody, and neither helps nor blocks a swap.
contract Router {
    using Transfer for address;

    event Swapped(
        address indexed sender,
        address indexed tokenIn,
        address indexed tokenOut,
        uint256 amountIn,
        uint256 amountOut,
        address recipient
    );

    error Reentered();
    error Expired(uint256 deadline);
    error ZeroAmount();
    error SameToken();
    error BadRecipient(address recipient);
    error NotContract(address executor);
    error WrongValue(uint256 value);
    error NotExecutor(address caller);
    error PulledTooMuch(uint256 amount, uint256 left);
    error PulledToRouter();
    error TooLittleOut(uint256 amountOut, uint256 minOut);
    error NativeRefused(address recipient);
    error NotWrappedNative(address sender);

    address public immutable wrappedNative;

    /// The swap that runs. Nothing below is read while running is zero, and a
    /// swap writes all of it on entry.
    address private transient running; // the executor
    address private transient payer; // msg.sender; the Router itself once it wrapped native
    address private transient token; // tokenIn
    uint256 private transient left; // what may still be pulled

    constructor(address wrappedNative_) {
        wrappedNative = wrappedNative_;
    }

    /// @notice Swaps at most amountIn of tokenIn for at least minOut of tokenOut.
    /// @dev An ERC-20 output is the growth of the recipient's balance over the
    /// whole call, so tokens that take a fee on transfer are counted right; a
    /// pool that can set off other payments of tokenOut to the recipient could
    /// have them counted too. A native output is what the Router unwrapped and
    /// sent. Input that is never pulled stays with msg.sender, or returns as
    /// wrapped native if it came as native.
    /// @param tokenOut the zero address asks for native
    /// @param executor carries the route out; it alone may pull
    /// @param route opaque here
    /// @return amountOut what the recipient got
    function swap(
        address tokenIn,
        uint256 amountIn,
        address tokenOut,
        uint256 minOut,
        address recipient,
        uint256 deadline,
        address executor,
        bytes calldata route
    ) external payable returns (uint256 amountOut) {
        if (running != address(0)) revert Reentered();
        if (block.timestamp > deadline) revert Expired(deadline);
        if (amountIn == 0 || minOut == 0) revert ZeroAmount();
        if (executor.code.length == 0) revert NotContract(executor);
        if (recipient == address(0) || recipient == address(this) || recipient == executor || recipient == wrappedNative) {
            revert BadRecipient(recipient);
        }
        bool native = tokenOut == address(0);
        address made = native ? wrappedNative : tokenOut;
        if (tokenIn == made) revert SameToken();

        running = executor;
        token = tokenIn;
        left = amountIn;
        payer = fund(tokenIn, amountIn);

        address to = native ? address(this) : recipient;
        uint256 held = IERC20(made).balanceOf(to);
        IExecutor(executor).execute(msg.sender, tokenIn, amountIn, made, to, route);
        uint256 unspent = left;
        left = 0; // nothing is pulled from here on

        amountOut = IERC20(made).balanceOf(to) - held;
        if (amountOut < minOut) revert TooLittleOut(amountOut, minOut);
        if (native) unwrap(recipient, amountOut);
        if (msg.value != 0 && unspent != 0) tokenIn.send(msg.sender, unspent);

        emit Swapped(msg.sender, tokenIn, tokenOut, amountIn - unspent, amountOut, recipient);
        running = address(0);
    }

    /// @notice Pays tokenIn of the running swap, for the running executor only.
    function pull(address to, uint256 amount) external {
        if (msg.sender != running) revert NotExecutor(msg.sender);
        if (to == address(this)) revert PulledToRouter();
        uint256 rest = left;
        if (amount > rest) revert PulledTooMuch(amount, rest);
        unchecked {
            left = rest - amount;
        }
        address from = payer;
        if (from == address(this)) token.send(to, amount);
        else token.sendFrom(from, to, amount);
    }

    /// @dev Fits the 2,300 gas wrapped native gives along.
    receive() external payable {
        if (msg.sender != wrappedNative) revert NotWrappedNative(msg.sender);
    }

    /// @dev Who pays: the caller, or the Router once it has wrapped the value.
    function fund(address tokenIn, uint256 amountIn) private returns (address) {
        if (msg.value == 0) return msg.sender;
        if (tokenIn != wrappedNative || msg.value != amountIn) revert WrongValue(msg.value);
        IWrappedNative(wrappedNative).deposit{value: amountIn}();
        return address(this);
    }

    function unwrap(address recipient, uint256 amount) private {
        IWrappedNative(wrappedNative).withdraw(amount);
        (bool ok,) = recipient.call{value: amount}("");
        if (!ok) revert NativeRefused(recipient);
    }
}
