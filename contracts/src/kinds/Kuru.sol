// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Kind} from "../Kind.sol";
import {Transfer} from "../Transfer.sol";

interface IKuruMarket {
    function placeAndExecuteMarketBuy(uint96 quoteUnits, uint256 minOut, bool isMargin, bool isFillOrKill)
        external
        payable
        returns (uint256);
    function placeAndExecuteMarketSell(uint96 baseUnits, uint256 minOut, bool isMargin, bool isFillOrKill)
        external
        payable
        returns (uint256);
}

/// @notice A market of Kuru. It counts its input in lots of 10^lot raw units,
/// or 10^-lot to the raw unit where lot is negative; what is less than a lot
/// is left. Native is taken and paid as such, and paid by the margin account.
///
///     body  market:20 margin:20 flags:1 lot:1
abstract contract Kuru is Kind {
    using Transfer for address;

    uint256 internal constant KIND_KURU = 7;
    uint256 internal constant KURU_BODY = 42;

    uint8 private constant BUY = 1;
    uint8 private constant NATIVE_IN = 2;
    uint8 private constant NATIVE_OUT = 4;

    error TooManyLots(uint256 lots);

    function swapKuru(Step memory s, bytes calldata body) internal returns (uint256 made) {
        address market = address(bytes20(body));
        uint8 flags = uint8(body[40]);
        uint96 lots = cut(s, int8(uint8(body[41])));
        if (flags & NATIVE_IN != 0) {
            payNative(s);
            return get(s, body, flags, s.amount, lots);
        }
        uint256 all = lend(s, market);
        made = get(s, body, flags, 0, lots);
        uint256 used = reclaim(s, market, all);
        if (used != s.amount) revert PartialFill(s.amount, used);
    }

    /// @dev Trades, and sends on the output.
    function get(Step memory s, bytes calldata body, uint8 flags, uint256 value, uint96 lots)
        private
        returns (uint256 made)
    {
        bool native = flags & NATIVE_OUT != 0;
        address money = native ? address(0) : s.tokenOut;
        made = balance(money);
        if (native) called = uint160(bytes20(body[20:40]));
        take(address(bytes20(body)), flags, value, lots);
        called = 0;
        made = balance(money) - made;
        if (native) deliverNative(s, made);
        else deliver(s, made);
    }

    /// @dev All or nothing: the market reverts if it cannot fill every lot.
    function take(address market, uint8 flags, uint256 value, uint96 lots) private {
        if (flags & BUY != 0) IKuruMarket(market).placeAndExecuteMarketBuy{value: value}(lots, 1, false, true);
        else IKuruMarket(market).placeAndExecuteMarketSell{value: value}(lots, 1, false, true);
    }

    /// @dev Cuts the step's amount down to whole lots.
    function cut(Step memory s, int256 lot) private pure returns (uint96) {
        uint256 lots;
        if (lot < 0) {
            lots = s.amount * 10 ** uint256(-lot);
        } else {
            lots = s.amount / 10 ** uint256(lot);
            s.amount = lots * 10 ** uint256(lot);
        }
        if (lots == 0) revert ZeroAmount();
        if (lots > type(uint96).max) revert TooManyLots(lots);
        return uint96(lots);
    }
}
