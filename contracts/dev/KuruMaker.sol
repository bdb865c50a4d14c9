// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../src/Transfer.sol";
import {KuruMargin} from "./KuruMargin.sol";
import {IDecimals, KuruRegistrar, KuruVault} from "./KuruRegistrar.sol";

interface IOrders {
    function addBuyOrder(uint32 price, uint96 size, bool postOnly) external;
    function addSellOrder(uint32 price, uint96 size, bool postOnly) external;
}

/// @title KuruMaker
/// @notice Opens markets on the local chain and provides their liquidity: a quarter
/// of what it is given as orders in the book, the rest in the vault.
contract KuruMaker {
    error PriceOutOfRange(uint256 price);

    uint256 private constant LEVELS = 24; // of each side
    uint256 private constant NEAREST = 3; // basis points from the mid price to the best order
    uint256 private constant APART = 6; // basis points from one order to the next
    uint256 private constant TAKER_FEE = 4;
    uint256 private constant MAKER_FEE = 1;
    uint256 private constant SPREAD = 30; // of the vault
    uint256 private constant BPS = 10_000;

    KuruRegistrar private immutable registrar;
    KuruMargin private immutable margin;

    constructor(KuruRegistrar registrar_, KuruMargin margin_) {
        registrar = registrar_;
        margin = margin_;
    }

    /// @notice Opens a market at the price of the two amounts, which were sent
    /// here before; native, the zero address, comes along.
    function open(address base, address quote, uint256 baseAmount, uint256 quoteAmount) external payable {
        KuruRegistrar.Terms memory t;
        (t.base, t.quote) = (base, quote);
        (t.tickSize, t.minSize, t.maxSize) = (1, 1, type(uint96).max);
        (t.takerFeeBps, t.makerFeeBps, t.spread) = (TAKER_FEE, MAKER_FEE, uint96(SPREAD));
        uint256 baseUnit = 10 ** decimals(base);
        t.sizePrecision = uint96(baseUnit > 1e10 ? 1e10 : baseUnit);
        t.pricePrecision = 1e9;
        uint256 price = quoteAmount * baseUnit * 1e9 / (baseAmount * 10 ** decimals(quote));
        for (; price > 2e9 && t.pricePrecision > 1; price /= 10) t.pricePrecision /= 10;
        if (price < 1e4 || price > 2e9) revert PriceOutOfRange(price);

        (address market, address vault) = registrar.open(t);
        uint256 size = baseAmount * t.sizePrecision / baseUnit;
        provide(vault, t, price, size - size / 4, baseAmount, quoteAmount);
        place(market, price, size / 4);
    }

    function provide(
        address vault,
        KuruRegistrar.Terms memory t,
        uint256 price,
        uint256 size,
        uint256 baseAmount,
        uint256 quoteAmount
    ) private {
        deposit(address(this), t.base, baseAmount / 4 + 1);
        deposit(vault, t.base, baseAmount - baseAmount / 4 - 1);
        deposit(address(this), t.quote, quoteAmount / 4 + 1);
        deposit(vault, t.quote, quoteAmount - quoteAmount / 4 - 1);
        uint256 ask = price * 1e18 / t.pricePrecision * (BPS + SPREAD / 2) / BPS;
        uint256 bid = (ask * BPS + (BPS + SPREAD) / 2) / (BPS + SPREAD);
        KuruVault(vault).offer(uint96(size * SPREAD / (2 * BPS + SPREAD)), uint96(size * SPREAD / (2 * BPS)), ask, bid);
    }

    /// @dev The further from the mid price, the larger the order.
    function place(address market, uint256 price, uint256 size) private {
        uint256 unit = size / (LEVELS * (LEVELS + 1) / 2);
        for (uint256 i = 1; i <= LEVELS; i++) {
            uint256 away = price * (NEAREST + APART * (i - 1)) / BPS;
            IOrders(market).addSellOrder(uint32(price + away), uint96(unit * i), true);
            IOrders(market).addBuyOrder(uint32(price - away), uint96(unit * i), true);
        }
    }

    function deposit(address owner, address token, uint256 amount) private {
        if (token == address(0)) {
            margin.deposit{value: amount}(owner, token, amount);
        } else {
            IERC20(token).approve(address(margin), amount);
            margin.deposit(owner, token, amount);
        }
    }

    function decimals(address token) private view returns (uint256) {
        return token == address(0) ? 18 : IDecimals(token).decimals();
    }
}
