// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Kind} from "./Kind.sol";
import {Transfer} from "./Transfer.sol";
import {BalancerV3} from "./kinds/BalancerV3.sol";
import {Hanji} from "./kinds/Hanji.sol";
import {Kuru} from "./kinds/Kuru.sol";
import {NadFun} from "./kinds/NadFun.sol";
import {UniswapV4} from "./kinds/UniswapV4.sol";
import {V2} from "./kinds/V2.sol";
import {V3} from "./kinds/V3.sol";

/// @title Executor
/// @notice Carries a route out for the Router. It holds nothing between calls
/// and nobody approves it, so a hostile pool or token finds nothing to take.
///
/// A route is a table of tokens and a list of steps over one amount per token:
///
///     route  n:1 [fee] token:20*n step*
///     fee    side:1 bps:2 recipient:20
///     step   kind:1 in:1 out:1 share:4 body
///
/// Token 0 is tokenIn, 1 is tokenOut, 2 and up are the table. A step takes
/// share/2^32 of what is held of `in` at that moment (0: all of it). tokenIn is
/// pulled from the Router straight to where the step needs it; tokenOut is paid
/// straight to the recipient.
///
/// The few units that a venue cannot take (an order book's dust) go back to
/// the sender; of tokenIn, where they can be computed beforehand, they are never
/// pulled.
///
/// FEE in n means that a fee opens the route: bps/10000, rounded down, of
/// amountIn (side 0) or of all that the route makes of tokenOut (side 1). The
/// first is pulled from the Router straight to the fee's recipient before the
/// steps. For the second, tokenOut is paid here; after the steps the fee is sent
/// to its recipient, and then the rest to the recipient of the swap. Native is
/// paid as wrapped native.
///
/// PREPAID in the kind of a step means that the step before it pays its whole
/// output straight into this step's pool, whose address opens the body.
///
/// Laws:
/// 1. Only the Router calls execute. While it runs, only the contract being
///    called may call back, and only it and wrapped native may send native.
/// 2. What is held of a token is what arrived here, measured, so no step can
///    spend what lay here before.
/// 3. A route uses up all it makes and all of amountIn, or reverts.
/// 4. A fee is at most MAX_FEE_BPS, and is in the route that the sender signs.
///    What the Router holds the swap to (minOut) is what is left after it.
contract Executor is V2, V3, UniswapV4, BalancerV3, Kuru, Hanji, NadFun {
    using Transfer for address;

    error NotRouter(address caller);
    error Truncated();
    error UnknownKind(uint256 kind);
    error UnknownToken(uint256 index);
    error Backwards();
    error NotPrepaid();
    error BadFee();
    error LeftOver(address token, uint256 amount);

    uint256 private constant PREPAID = 0x80;
    uint256 private constant FEE = 0x80;
    uint256 private constant MAX_FEE_BPS = 300;

    uint256 private constant FEE_SIZE = 23; // bytes of a fee's record
    uint256 private constant SIDE = 176; // bits below its side
    uint256 private constant HEAD = 7; // bytes of a step before its body
    uint256 private constant IN = 0; // tokenIn in the table
    uint256 private constant OUT = 1; // tokenOut

    constructor(address router_, address wrappedNative_) Kind(router_, wrappedNative_) {}

    function execute(
        address sender,
        address tokenIn,
        uint256 amountIn,
        address tokenOut,
        address to,
        bytes calldata route
    ) external {
        if (msg.sender != router) revert NotRouter(msg.sender);
        (address[] memory tokens, uint256 at, uint256 fee) = tokensOf(tokenIn, tokenOut, route);
        uint256[] memory held = new uint256[](tokens.length);
        bool keeps = fee >> SIDE != 0; // tokenOut here, until its fee is paid
        held[IN] = fee == 0 || keeps ? amountIn : payFee(fee, tokenIn, amountIn, Funds.Router);

        Step memory s;
        uint256 last; // the token the step before made
        uint256 made; // and how much of it
        bool prepays; // straight into the pool of this step
        uint256 next = word(route, at);
        while (at < route.length) {
            uint256 kind = next >> 248;
            uint256 in_ = uint8(next >> 240);
            uint256 out = uint8(next >> 232);
            uint256 share = uint32(next >> 200);
            bytes calldata body = bodyOf(route, at, next);
            unchecked {
                at += HEAD + body.length;
            }
            if (in_ >= tokens.length) revert UnknownToken(in_);
            if (out >= tokens.length) revert UnknownToken(out);
            if (in_ == OUT || out == IN) revert Backwards();

            s.tokenIn = tokens[in_];
            s.tokenOut = tokens[out];
            if (kind & PREPAID != 0) {
                if (!prepays || in_ != last) revert NotPrepaid();
                s.funds = Funds.Pool;
                s.amount = made;
            } else {
                s.funds = in_ == IN ? Funds.Router : Funds.Here;
                uint256 all = held[in_];
                s.amount = share == 0 ? all : all * share >> 32;
                unchecked {
                    held[in_] = all - s.amount; // a share is less than all
                }
            }
            if (s.amount == 0) revert ZeroAmount();

            next = word(route, at);
            prepays = next >> 248 & PREPAID != 0;
            if (prepays) s.to = address(bytes20(slice(route, at + HEAD, 20)));
            else s.to = out == OUT && !keeps ? to : address(this);

            last = out;
            if (s.to == address(this)) held[out] += measured(kind, s, body, sender);
            else made = run(kind, s, body, sender);
        }
        if (keeps) {
            uint256 rest = payFee(fee, tokenOut, held[OUT], Funds.Here);
            held[OUT] = 0;
            tokenOut.send(to, rest);
        }
        for (uint256 i; i < held.length; i++) {
            if (held[i] != 0) revert LeftOver(tokens[i], held[i]);
        }
    }

    /// @dev Pays the fee of an amount.
    /// @return rest what is left of it
    function payFee(uint256 fee, address token, uint256 amount, Funds funds) private returns (uint256 rest) {
        uint256 part = amount * uint16(fee >> 160) / 10_000;
        if (part != 0) pay(token, part, funds, address(uint160(fee)));
        unchecked {
            rest = amount - part; // bps are at most 300
        }
    }

    /// @dev Runs a step and returns the dust it could not take to the sender.
    function run(uint256 kind, Step memory s, bytes calldata body, address sender) private returns (uint256 made) {
        uint256 given = s.amount;
        made = swap(kind, s, body);
        if (s.amount < given && s.funds == Funds.Here) s.tokenIn.send(sender, given - s.amount);
    }

    /// @dev Runs a step and measures by how much it raised the balance here.
    function measured(uint256 kind, Step memory s, bytes calldata body, address sender) private returns (uint256 made) {
        uint256 before = balance(s.tokenOut);
        run(kind, s, body, sender);
        made = balance(s.tokenOut) - before;
        if (made == 0) revert ZeroAmount();
    }

    // Kinds of steps. A new one is a contract in kinds/ with its number and the
    // length of its body, which Executor inherits, and a line in swap and BODIES.

    function swap(uint256 kind, Step memory s, bytes calldata body) private returns (uint256 made) {
        if (kind & ~PREPAID == KIND_V2) return swapV2(s, body);
        if (kind == KIND_V3) return swapV3(s, body);
        if (kind == KIND_UNISWAP_V4) return swapUniswapV4(s, body);
        if (kind == KIND_BALANCER_V3) return swapBalancerV3(s, body);
        if (kind == KIND_KURU) return swapKuru(s, body);
        if (kind == KIND_HANJI) return swapHanji(s, body);
        if (kind == KIND_NAD_FUN) return swapNadFun(s, body);
        revert UnknownKind(kind);
    }

    uint256 private constant BODIES = V2_BODY << 8 * KIND_V2 | V3_BODY << 8 * KIND_V3
        | UNISWAP_V4_FIRST << 8 * KIND_UNISWAP_V4 | BALANCER_V3_BODY << 8 * KIND_BALANCER_V3
        | KURU_BODY << 8 * KIND_KURU | HANJI_BODY << 8 * KIND_HANJI | NAD_FUN_BODY << 8 * KIND_NAD_FUN;

    /// @dev The body of the step at an offset, whose first word is given.
    function bodyOf(bytes calldata route, uint256 at, uint256 opening) private pure returns (bytes calldata) {
        uint256 kind = opening >> 248;
        uint256 size = uint8(BODIES >> 8 * (kind & ~PREPAID));
        unchecked {
            if (kind == KIND_UNISWAP_V4) {
                uint256 hops = uint8(opening >> 192);
                if (hops == 0) revert Truncated();
                size += UNISWAP_V4_NEXT * (hops - 1);
            }
            return slice(route, at + HEAD, size);
        }
    }

    // Reading the route. Every read is inside it, or reverts.

    /// @return tokens by their numbers
    /// @return at the offset of the first step
    /// @return fee its record as one number, 0 if there is none
    function tokensOf(address tokenIn, address tokenOut, bytes calldata route)
        private
        view
        returns (address[] memory tokens, uint256 at, uint256 fee)
    {
        uint256 n = uint8(bytes1(slice(route, 0, 1)));
        at = 1;
        if (n & FEE != 0) {
            fee = feeOf(slice(route, at, FEE_SIZE));
            n &= ~FEE;
            at += FEE_SIZE;
        }
        tokens = new address[](2 + n);
        tokens[IN] = tokenIn;
        tokens[OUT] = tokenOut;
        for (uint256 i; i < n; i++) {
            tokens[2 + i] = address(bytes20(slice(route, at, 20)));
            at += 20;
        }
    }

    /// @dev A fee to one of our contracts would stay there.
    function feeOf(bytes calldata record) private view returns (uint256 fee) {
        fee = uint184(bytes23(record));
        uint256 bps = uint16(fee >> 160);
        address recipient = address(uint160(fee));
        if (
            fee >> SIDE > 1 || bps == 0 || bps > MAX_FEE_BPS || recipient == address(0) || recipient == router
                || recipient == address(this)
        ) revert BadFee();
    }

    /// @dev The first word of a step, with zeros beyond the end of the route.
    function word(bytes calldata route, uint256 at) private pure returns (uint256) {
        return uint256(bytes32(route[at:]));
    }

    function slice(bytes calldata route, uint256 at, uint256 size) private pure returns (bytes calldata) {
        unchecked {
            uint256 end = at + size; // of a route no longer than calldata
            if (end > route.length) revert Truncated();
            return route[at:end];
        }
    }
}
