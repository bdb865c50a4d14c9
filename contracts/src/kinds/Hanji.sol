// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Kind} from "../Kind.sol";
import {Transfer} from "../Transfer.sol";

interface IHanjiMarket {
    function placeOrder(
        bool isAsk,
        uint128 quantity,
        uint72 price,
        uint128 maxCommission,
        bool marketOnly,
        bool postOnly,
        bool transferExecuted,
        uint256 expires
    ) external payable returns (uint64 orderId, uint128 shares, uint128 value, uint128 fee);

    function placeMarketOrderWithTargetValue(
        bool isAsk,
        uint128 targetTokenYValue,
        uint72 price,
        uint128 maxCommission,
        bool transferExecuted,
        uint256 expires
    ) external payable returns (uint128 shares, uint128 value, uint128 fee);
}

/// @notice A market order in an order book that counts in units of its own and
/// may pay wrapped native out as native. What is no whole unit is dust; so is
/// what a buy cannot spend on a last share, up to twice the price of one.
///
///     body  market:20 flags:1 unit:16, the unit of tokenIn
///     flags 1 buys, 2 pays native
abstract contract Hanji is Kind {
    using Transfer for address;

    uint256 internal constant KIND_HANJI = 8;
    uint256 internal constant HANJI_BODY = 37;

    uint256 private constant BUYS = 1;
    uint256 private constant PAYS_NATIVE = 2;
    uint72 private constant LOWEST = 1;
    uint72 private constant HIGHEST = 999_999e15;

    function swapHanji(Step memory s, bytes calldata body) internal returns (uint256 made) {
        address market = address(bytes20(body));
        uint256 flags = uint8(body[20]);
        uint256 units = s.amount / uint128(bytes16(body[21:37]));
        if (flags & BUYS == 0) s.amount = units * uint128(bytes16(body[21:37]));
        uint256 all = lend(s, market);
        bool native = flags & PAYS_NATIVE != 0 && s.tokenOut == wrappedNative;
        address paid = native ? address(0) : s.tokenOut;
        made = balance(paid);

        // Units beyond 128 bits are cut, and so found not to be used up.
        called = uint160(market);
        uint256 shares = flags & BUYS != 0 ? buy(market, uint128(units)) : sell(market, uint128(units));
        called = 0;

        made = balance(paid) - made;
        uint256 used = reclaim(s, market, all);
        if (flags & BUYS == 0 ? used != s.amount : used > s.amount || (s.amount - used) * shares >= 2 * used) {
            revert PartialFill(s.amount, used);
        }
        if (flags & BUYS != 0) (s.amount, s.funds) = (used, Funds.Here); // all was brought here
        if (native) deliverNative(s, made);
        else deliver(s, made);
    }

    function buy(address market, uint128 units) private returns (uint256 shares) {
        (shares,,) = IHanjiMarket(market).placeMarketOrderWithTargetValue(
            false, units, HIGHEST, type(uint128).max, true, block.timestamp
        );
    }

    function sell(address market, uint128 units) private returns (uint256 shares) {
        (, shares,,) = IHanjiMarket(market).placeOrder(
            true, units, LOWEST, type(uint128).max, true, false, true, block.timestamp
        );
    }
}
