// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {KuruMargin} from "./KuruMargin.sol";
import {KuruMarket} from "./KuruMarket.sol";

interface IDecimals {
    function decimals() external view returns (uint8);
}

interface IBook {
    function initialize(
        address owner,
        uint8 kind,
        address base,
        uint256 baseDecimals,
        address quote,
        uint256 quoteDecimals,
        address margin,
        uint96 sizePrecision,
        uint32 pricePrecision,
        uint32 tickSize,
        uint96 minSize,
        uint96 maxSize,
        uint256 takerFeeBps,
        uint256 makerFeeBps,
        address vault,
        uint96 spread,
        address forwarder
    ) external;

    function updateVaultOrdSz(uint96 askSize, uint96 bidSize, uint256 askPrice, uint256 bidPrice) external;
}

/// @title KuruVault
/// @notice Replaces the vault of a market. Its keeper sets prices and sizes; its
/// tokens are in the margin account.
contract KuruVault {
    error NotKeeper(address caller);

    address private immutable keeper;
    IBook private immutable market;

    constructor(address keeper_, IBook market_) {
        keeper = keeper_;
        market = market_;
    }

    /// @dev The market takes the prices, times 1e18, the first time only.
    function offer(uint96 askSize, uint96 bidSize, uint256 askPrice, uint256 bidPrice) external {
        if (msg.sender != keeper) revert NotKeeper(msg.sender);
        market.updateVaultOrdSz(askSize, bidSize, askPrice, bidPrice);
    }
}

/// @title KuruRegistrar
/// @notice Replaces Kuru's router on the local chain: it opens markets and emits the
/// router's events.
contract KuruRegistrar {
    event MarketRegistered(
        address baseAsset,
        address quoteAsset,
        address market,
        address vaultAddress,
        uint32 pricePrecision,
        uint96 sizePrecision,
        uint32 tickSize,
        uint96 minSize,
        uint96 maxSize,
        uint256 takerFeeBps,
        uint256 makerFeeBps,
        uint96 kuruAmmSpread
    );

    struct Terms {
        address base; // the zero address is native, in base as in quote
        address quote;
        uint96 sizePrecision;
        uint32 pricePrecision;
        uint32 tickSize;
        uint96 minSize;
        uint96 maxSize;
        uint256 takerFeeBps;
        uint256 makerFeeBps;
        uint96 spread; // of the vault, in basis points
    }

    KuruMargin private immutable margin;
    address private immutable book;

    constructor(KuruMargin margin_, address book_) {
        margin = margin_;
        book = book_;
    }

    /// @return market owned by the caller
    /// @return vault kept by the caller
    function open(Terms calldata t) external returns (address market, address vault) {
        bytes32 salt = keccak256(abi.encode(t));
        market = address(new KuruMarket{salt: salt}(book));
        vault = address(new KuruVault{salt: salt}(msg.sender, IBook(market)));
        margin.updateMarkets(market);
        initialize(t, market, vault);
        emit MarketRegistered(
            t.base,
            t.quote,
            market,
            vault,
            t.pricePrecision,
            t.sizePrecision,
            t.tickSize,
            t.minSize,
            t.maxSize,
            t.takerFeeBps,
            t.makerFeeBps,
            t.spread
        );
    }

    function initialize(Terms calldata t, address market, address vault) private {
        uint8 kind = t.base == address(0) ? 1 : t.quote == address(0) ? 2 : 0;
        IBook(market).initialize(
            msg.sender,
            kind,
            t.base,
            decimals(t.base),
            t.quote,
            decimals(t.quote),
            address(margin),
            t.sizePrecision,
            t.pricePrecision,
            t.tickSize,
            t.minSize,
            t.maxSize,
            t.takerFeeBps,
            t.makerFeeBps,
            vault,
            t.spread,
            address(1) // no trusted forwarder
        );
    }

    function decimals(address token) private view returns (uint256) {
        return token == address(0) ? 18 : IDecimals(token).decimals();
    }
}
