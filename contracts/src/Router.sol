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

interface IERC20Permit {
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external;
}

interface IPermit2 {
    struct Permitted {
        address token;
        uint256 amount;
    }

    struct Permit {
        Permitted permitted;
        uint256 nonce;
        uint256 deadline;
    }

    struct Details {
        address to;
        uint256 amount;
    }

    function permitTransferFrom(Permit calldata p, Details calldata d, address owner, bytes calldata signature) external;
}

/// @title Router
/// @notice The contract users approve. It has no owner, no storage, no proxy
/// and no delegatecall, and never makes a call whose target and data are both
/// the caller's choice. How venues are paid and called is the Executor's
/// business; the Router only lends it the caller's tokens and sees to it that
/// the recipient is paid. A caller may name any executor: a hostile one can
/// lose what this caller put in, and nothing else.
///
/// The caller pays in one of four ways. By a standing allowance, or by one that
/// an ERC-2612 permit sets: then what is pulled goes straight from the caller to
/// the venue. By native that the Router wraps, or by a Permit2 transfer to the
/// Router: then it is pulled from here, and what is not pulled goes back.
///
/// Laws:
/// 1. Tokens move only out of msg.sender, only tokenIn, at most amountIn, only
///    during its own call. Permits are its own too: no call names an owner.
/// 2. The recipient gets at least minOut >= 1, or all reverts.
/// 3. msg.value is 0, or exactly amountIn with tokenIn = wrapped native. The
///    same calldata serves both. With a permit it is 0.
/// 4. While a swap runs nothing enters but pull from the running executor and
///    native from wrapped native. Nothing can be pulled before the caller has
///    paid in, nor after execute.
/// 5. After a call the Router holds what it held before: what lies here
///    belongs to nobody, and neither helps nor blocks a swap.
contract Router {
    using Transfer for address;

    /// @notice All that is needed to hold what was received to what was asked:
    /// amountIn is what was pulled, amountOut what the recipient got.
    event Swapped(
        address indexed sender,
        address indexed tokenIn,
        address indexed tokenOut,
        uint256 amountIn,
        uint256 amountOut,
        uint256 minOut,
        address recipient
    );

    /// @notice An ERC-2612 permit of tokenIn by msg.sender for the Router.
    struct Permit {
        uint256 value;
        uint256 deadline;
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    /// @notice A Permit2 transfer of tokenIn by msg.sender through the Router,
    /// of at most amount.
    struct Permit2 {
        uint256 amount;
        uint256 nonce;
        uint256 deadline;
        bytes signature;
    }

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

    /// @dev The same on every chain.
    IPermit2 private constant PERMIT2 = IPermit2(0x000000000022D473030F116dDEE9F6B43aC78BA3);

    /// The swap that runs. Nothing below is read while running is zero, and a
    /// swap writes all of it on entry. Addresses are whole words, which are
    /// written without being read.
    uint256 private transient running; // the executor
    uint256 private transient payer; // msg.sender, or the Router itself
    uint256 private transient token; // tokenIn
    uint256 private transient left; // what may still be pulled; 0 outside execute

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
        enter(tokenIn, amountIn, tokenOut, minOut, recipient, deadline, executor);
        if (msg.value == 0) {
            payer = uint160(msg.sender);
        } else {
            if (tokenIn != wrappedNative || msg.value != amountIn) revert WrongValue(msg.value);
            IWrappedNative(wrappedNative).deposit{value: amountIn}();
            payer = uint160(address(this));
        }
        return run(tokenIn, amountIn, tokenOut, minOut, recipient, executor, route);
    }

    /// @notice swap, by an allowance that msg.sender signed (ERC-2612). A permit
    /// that fails is passed over: it may have been used by somebody else, and
    /// then the allowance is there.
    function swapWithPermit(
        address tokenIn,
        uint256 amountIn,
        address tokenOut,
        uint256 minOut,
        address recipient,
        uint256 deadline,
        address executor,
        bytes calldata route,
        Permit calldata permit
    ) external returns (uint256 amountOut) {
        enter(tokenIn, amountIn, tokenOut, minOut, recipient, deadline, executor);
        payer = uint160(msg.sender);
        try IERC20Permit(tokenIn).permit(
            msg.sender, address(this), permit.value, permit.deadline, permit.v, permit.r, permit.s
        ) {} catch {}
        return run(tokenIn, amountIn, tokenOut, minOut, recipient, executor, route);
    }

    /// @notice swap, by a transfer to the Router that msg.sender signed
    /// (Permit2). Of a token that takes a fee, what arrives is swapped.
    function swapWithPermit2(
        address tokenIn,
        uint256 amountIn,
        address tokenOut,
        uint256 minOut,
        address recipient,
        uint256 deadline,
        address executor,
        bytes calldata route,
        Permit2 calldata permit
    ) external returns (uint256 amountOut) {
        enter(tokenIn, amountIn, tokenOut, minOut, recipient, deadline, executor);
        payer = uint160(address(this));
        amountIn = receiveSigned(tokenIn, amountIn, permit);
        return run(tokenIn, amountIn, tokenOut, minOut, recipient, executor, route);
    }

    /// @notice Pays tokenIn of the running swap, for the running executor only.
    function pull(address to, uint256 amount) external {
        if (uint160(msg.sender) != running) revert NotExecutor(msg.sender);
        if (to == address(this)) revert PulledToRouter();
        uint256 rest = left;
        if (amount > rest) revert PulledTooMuch(amount, rest);
        unchecked {
            left = rest - amount;
        }
        address from = address(uint160(payer));
        if (from == address(this)) address(uint160(token)).send(to, amount);
        else address(uint160(token)).sendFrom(from, to, amount);
    }

    /// @dev Fits the 2,300 gas wrapped native gives along.
    receive() external payable {
        if (msg.sender != wrappedNative) revert NotWrappedNative(msg.sender);
    }

    /// @dev What every swap must satisfy, and the lock: from here on nothing
    /// else enters.
    function enter(
        address tokenIn,
        uint256 amountIn,
        address tokenOut,
        uint256 minOut,
        address recipient,
        uint256 deadline,
        address executor
    ) private {
        if (running != 0) revert Reentered();
        if (block.timestamp > deadline) revert Expired(deadline);
        if (amountIn == 0 || minOut == 0) revert ZeroAmount();
        if (executor.code.length == 0) revert NotContract(executor);
        if (recipient == address(0) || recipient == address(this) || recipient == executor || recipient == wrappedNative) {
            revert BadRecipient(recipient);
        }
        if (tokenIn == (tokenOut == address(0) ? wrappedNative : tokenOut)) revert SameToken();
        running = uint160(executor);
        token = uint160(tokenIn);
    }

    /// @dev What every swap does once it is paid for.
    function run(
        address tokenIn,
        uint256 amountIn,
        address tokenOut,
        uint256 minOut,
        address recipient,
        address executor,
        bytes calldata route
    ) private returns (uint256 amountOut) {
        bool native = tokenOut == address(0);
        (address made, address to) = native ? (wrappedNative, address(this)) : (tokenOut, recipient);
        uint256 held = IERC20(made).balanceOf(to);
        left = amountIn;
        IExecutor(executor).execute(msg.sender, tokenIn, amountIn, made, to, route);
        uint256 unspent = left;
        if (unspent != 0) left = 0;

        amountOut = IERC20(made).balanceOf(to) - held;
        if (amountOut < minOut) revert TooLittleOut(amountOut, minOut);
        if (native) unwrap(recipient, amountOut);
        if (unspent != 0 && payer == uint160(address(this))) tokenIn.send(msg.sender, unspent);

        emit Swapped(msg.sender, tokenIn, tokenOut, amountIn - unspent, amountOut, minOut, recipient);
        running = 0;
    }

    /// @dev Takes amountIn by Permit2.
    /// @return what arrived of it
    function receiveSigned(address tokenIn, uint256 amountIn, Permit2 calldata permit) private returns (uint256) {
        uint256 held = IERC20(tokenIn).balanceOf(address(this));
        PERMIT2.permitTransferFrom(
            IPermit2.Permit(IPermit2.Permitted(tokenIn, permit.amount), permit.nonce, permit.deadline),
            IPermit2.Details(address(this), amountIn),
            msg.sender,
            permit.signature
        );
        uint256 arrived = IERC20(tokenIn).balanceOf(address(this)) - held;
        return arrived < amountIn ? arrived : amountIn;
    }

    function unwrap(address recipient, uint256 amount) private {
        IWrappedNative(wrappedNative).withdraw(amount);
        (bool ok,) = recipient.call{value: amount}("");
        if (!ok) revert NativeRefused(recipient);
    }
}
