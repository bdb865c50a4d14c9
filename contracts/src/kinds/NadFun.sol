// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Kind} from "../Kind.sol";
import {Transfer} from "../Transfer.sol";

interface INadFunRouter {
    struct Buy {
        uint256 amountOutMin;
        address token;
        address to;
        uint256 deadline;
    }

    struct Sell {
        uint256 amountIn;
        uint256 amountOutMin;
        address token;
        address to;
        uint256 deadline;
    }

    function buy(Buy calldata params) external payable returns (uint256 amountOut);
    function sell(Sell calldata params) external returns (uint256 amountOut);
}

/// @notice A bonding curve, whose router takes and pays native. One of the two
/// tokens is wrapped native; the direction follows from which one.
///
///     body  router:20
abstract contract NadFun is Kind {
    using Transfer for address;

    uint256 internal constant KIND_NAD_FUN = 9;
    uint256 internal constant NAD_FUN_BODY = 20;

    function swapNadFun(Step memory s, bytes calldata body) internal returns (uint256 made) {
        address venue = address(bytes20(body));
        if (s.tokenIn == wrappedNative) {
            payNative(s);
            return INadFunRouter(venue).buy{value: s.amount}(
                INadFunRouter.Buy(1, s.tokenOut, s.to, block.timestamp)
            );
        }
        uint256 all = lend(s, venue);
        made = address(this).balance;
        called = uint160(venue);
        INadFunRouter(venue).sell(INadFunRouter.Sell(s.amount, 1, s.tokenIn, address(this), block.timestamp));
        called = 0;
        made = address(this).balance - made;
        uint256 used = reclaim(s, venue, all);
        if (used != s.amount) revert PartialFill(s.amount, used);
        deliverNative(s, made);
    }
}
