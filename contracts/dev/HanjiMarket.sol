// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IHanjiToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

/// Parameters of a market, as in the event of its factory.
struct HanjiTerms {
    address tokenX;
    address tokenY;
    bool supportsNative; // one of the tokens is wrapped native and is paid out as native
    bool isTokenXWrapped;
    uint256 scalingX;
    uint256 scalingY;
    uint64 aggressiveRate; // of the value a taker trades, over 1e18
}

/// @title HanjiMarket
/// @notice Replaces Hanji's order book on the local chain, by its published
/// interface. Prices are integers of at most six significant digits, in units of Y
/// for a unit of X. Makers pay no fee, and the proceeds of a trade are paid out at
/// once.
contract HanjiMarket {
    event OrderPlaced(
        address indexed owner,
        address indexed initiator,
        uint64 orderId,
        bool indexed isAsk,
        uint128 quantity,
        uint72 price,
        uint128 passiveShares,
        uint128 passiveFee,
        uint128 aggressiveShares,
        uint128 aggressiveValue,
        uint128 aggressiveFee,
        bool marketOnly,
        bool postOnly
    );
    event OrderClaimed(
        uint64 orderId,
        uint128 orderSharesRemaining,
        uint128 tokenXSent,
        uint128 tokenYSent,
        uint128 passivePayout,
        bool onlyClaim
    );
    event Paused(address account);
    event Unpaused(address account);
    event TraderFilterEnabledUpdated(bool enabled);

    error Expired();
    error EnforcedPause();
    error NotATrader();
    error Forbidden();
    error ZeroTokenTransferNotAllowed();
    error MarketOnlyAndPostOnlyFlagsConflict();
    error MaxCommissionFailure();
    error NativeETHDisabled();
    error ExcessiveSignificantFigures();
    error TransferFailed();
    error Unsupported();

    struct Order {
        address owner;
        uint128 shares;
        uint128 left;
    }

    struct Level {
        uint128 shares;
        uint128 head; // the oldest order that may be open
        uint64[] ids;
    }

    struct Taken {
        uint128 shares;
        uint128 value;
        uint128 fee;
    }

    uint256 private constant WAD = 1e18;
    uint256 private constant BIDS = 0;
    uint256 private constant ASKS = 1;

    address private immutable administrator;
    address private immutable tokenX;
    address private immutable tokenY;
    bool private immutable nativeX; // paid out as native
    bool private immutable nativeY;
    uint256 private immutable scalingX;
    uint256 private immutable scalingY;
    uint64 private immutable aggressiveRate;
    uint64 private nonce = (uint64(1) << 39) - 1;
    bool public paused;
    bool public traderFilterEnabled;
    uint24[][2] private prices; // of the levels of each side, the best last
    mapping(uint24 price => Level)[2] private levels;
    mapping(uint64 id => Order) private orders;

    modifier open(uint256 expires) {
        if (block.timestamp > expires) revert Expired();
        if (paused) revert EnforcedPause();
        _;
    }

    modifier restricted() {
        if (msg.sender != administrator) revert Forbidden();
        _;
    }

    constructor(HanjiTerms memory t, address administrator_) {
        administrator = administrator_;
        (tokenX, tokenY, scalingX, scalingY) = (t.tokenX, t.tokenY, t.scalingX, t.scalingY);
        nativeX = t.supportsNative && t.isTokenXWrapped;
        nativeY = t.supportsNative && !t.isTokenXWrapped;
        aggressiveRate = t.aggressiveRate;
    }

    /// @dev Needs less than the 2,300 gas that wrapped native passes on.
    receive() external payable {
        if (msg.sender != tokenX && msg.sender != tokenY) revert Forbidden();
    }

    function getConfig()
        external
        view
        returns (
            uint256 scalingX_,
            uint256 scalingY_,
            address tokenX_,
            address tokenY_,
            bool supportsNative,
            bool isTokenXWrapped,
            address askTrie,
            address bidTrie,
            uint64 adminRate,
            uint64 aggressiveRate_,
            uint64 passiveRate,
            uint64 passivePayoutRate,
            bool invokeOnTrade
        )
    {
        (scalingX_, scalingY_, tokenX_, tokenY_) = (scalingX, scalingY, tokenX, tokenY);
        (supportsNative, isTokenXWrapped, aggressiveRate_) = (nativeX || nativeY, nativeX, aggressiveRate);
        (askTrie, bidTrie, adminRate, passiveRate, passivePayoutRate, invokeOnTrade) =
            (address(0), address(0), 0, 0, 0, false);
    }

    /// @notice The book of one side, best first.
    function book(bool isAsk) external view returns (uint72[] memory price, uint128[] memory shares) {
        uint24[] storage side = prices[isAsk ? ASKS : BIDS];
        price = new uint72[](side.length);
        shares = new uint128[](side.length);
        for (uint256 i; i < side.length; i++) {
            uint24 p = side[side.length - 1 - i];
            (price[i], shares[i]) = (unpack(p), levels[isAsk ? ASKS : BIDS][p].shares);
        }
    }

    function placeOrder(
        bool isAsk,
        uint128 quantity,
        uint72 price,
        uint128 maxCommission,
        bool marketOnly,
        bool postOnly,
        bool transferExecuted,
        uint256 expires
    )
        external
        payable
        open(expires)
        returns (uint64 orderId, uint128 executedShares, uint128 executedValue, uint128 aggressiveFee)
    {
        if (!transferExecuted) revert Unsupported();
        Taken memory t;
        (orderId, t) = place(isAsk, quantity, price, maxCommission, marketOnly, postOnly);
        return (orderId, t.shares, t.value, t.fee);
    }

    /// @notice Trades the largest quantity whose cost or proceeds, fee included, are at
    /// most the target.
    function placeMarketOrderWithTargetValue(
        bool isAsk,
        uint128 targetTokenYValue,
        uint72 price,
        uint128 maxCommission,
        bool transferExecuted,
        uint256 expires
    )
        external
        payable
        open(expires)
        returns (uint128 executedShares, uint128 executedValue, uint128 aggressiveFee)
    {
        if (!transferExecuted) revert Unsupported();
        uint256 rate = aggressiveRate;
        uint256 value = uint256(targetTokenYValue) * WAD / (isAsk ? WAD - rate : WAD + rate);
        uint128 quantity = preview(isAsk, pack(price), narrow(value));
        (, Taken memory t) = place(isAsk, quantity, price, maxCommission, true, false);
        return (t.shares, t.value, t.fee);
    }

    /// @notice Pays a maker the filled part of an order and, unless only that is asked,
    /// cancels the rest.
    function claimOrder(address owner, uint64 orderId, bool onlyClaim, bool, bool, uint256 expires)
        external
        open(expires)
    {
        Order storage o = orders[orderId];
        if (o.shares == 0) return;
        if (o.owner != owner || msg.sender != owner) revert Forbidden();
        bool isAsk = orderId & 1 == 1;
        uint24 packed = uint24(orderId >> 40);
        if (isAsk) packed = ~packed;
        (uint128 left, uint128 done, uint72 price) = (o.left, o.shares - o.left, unpack(packed));
        uint128 removed;
        if (onlyClaim) {
            o.shares = left;
        } else {
            removed = left;
            (o.shares, o.left) = (0, 0);
            remove(isAsk ? ASKS : BIDS, packed, removed);
        }
        (uint128 x, uint128 y) = isAsk ? (removed, done * price) : (done, removed * price);
        emit OrderClaimed(orderId, left - removed, x, y, 0, onlyClaim);
        settle(tokenX, scalingX, nativeX, x, 0);
        settle(tokenY, scalingY, nativeY, y, 0);
    }

    function pause() external restricted {
        paused = true;
        emit Paused(msg.sender);
    }

    function unpause() external restricted {
        paused = false;
        emit Unpaused(msg.sender);
    }

    function setTraderFilterEnabled(bool enabled) external restricted {
        traderFilterEnabled = enabled;
        emit TraderFilterEnabledUpdated(enabled);
    }

    function place(bool isAsk, uint128 quantity, uint72 price, uint128 maxCommission, bool marketOnly, bool postOnly)
        private
        returns (uint64 id, Taken memory t)
    {
        if (traderFilterEnabled && msg.sender != administrator) revert NotATrader();
        if (marketOnly && postOnly) revert MarketOnlyAndPostOnlyFlagsConflict();
        if (quantity == 0 || price == 0) revert ZeroTokenTransferNotAllowed();
        if (msg.value != 0 && !(isAsk ? nativeX : nativeY)) revert NativeETHDisabled();
        uint24 packed = pack(price);
        uint128 rest;
        if (!postOnly) {
            t = take(isAsk, packed, quantity);
            rest = marketOnly ? 0 : quantity - t.shares;
        } else if (!crosses(isAsk, packed)) {
            rest = quantity;
        }
        uint128 worth = rest * price;
        if (rest != 0) id = add(isAsk, packed, rest);
        if (t.fee > maxCommission) revert MaxCommissionFailure();
        emit OrderPlaced(
            msg.sender, msg.sender, id, isAsk, quantity, price, rest, 0, t.shares, t.value, t.fee, marketOnly, postOnly
        );
        if (isAsk) {
            settle(tokenY, scalingY, nativeY, t.value, t.fee);
            settle(tokenX, scalingX, nativeX, 0, t.shares + rest);
        } else {
            settle(tokenX, scalingX, nativeX, t.shares, 0);
            settle(tokenY, scalingY, nativeY, 0, t.value + t.fee + worth);
        }
    }

    /// @dev Fills the best orders of the other side, down to a price.
    function take(bool isAsk, uint24 limit, uint128 quantity) private returns (Taken memory t) {
        uint256 side = isAsk ? BIDS : ASKS;
        while (t.shares < quantity && crosses(isAsk, limit)) {
            uint24 best = prices[side][prices[side].length - 1];
            uint128 part = min(quantity - t.shares, levels[side][best].shares);
            fill(levels[side][best], part);
            remove(side, best, part);
            t.shares += part;
            t.value += part * unpack(best);
        }
        t.fee = narrow((uint256(t.value) * aggressiveRate + WAD - 1) / WAD);
    }

    function fill(Level storage l, uint128 shares) private {
        uint128 at = l.head;
        while (shares != 0) {
            Order storage o = orders[l.ids[at]];
            uint128 part = min(shares, o.left);
            o.left -= part;
            shares -= part;
            if (o.left == 0) at++;
        }
        l.head = at;
    }

    /// @dev How much of the other side a value buys, or sells for.
    function preview(bool isAsk, uint24 limit, uint128 value) private view returns (uint128 quantity) {
        uint256 side = isAsk ? BIDS : ASKS;
        for (uint256 i = prices[side].length; i > 0; i--) {
            uint24 p = prices[side][i - 1];
            if (isAsk ? p < limit : p > limit) break;
            uint128 part = min(levels[side][p].shares, value / unpack(p));
            quantity += part;
            value -= part * unpack(p);
            if (part < levels[side][p].shares) break;
        }
    }

    function crosses(bool isAsk, uint24 limit) private view returns (bool) {
        uint24[] storage other = prices[isAsk ? BIDS : ASKS];
        if (other.length == 0) return false;
        uint24 best = other[other.length - 1];
        return isAsk ? best >= limit : best <= limit;
    }

    function add(bool isAsk, uint24 packed, uint128 shares) private returns (uint64 id) {
        uint256 side = isAsk ? ASKS : BIDS;
        id = (uint64(isAsk ? ~packed : packed) << 39 | nonce--) << 1 | (isAsk ? 1 : 0);
        orders[id] = Order(msg.sender, shares, shares);
        Level storage l = levels[side][packed];
        l.ids.push(id);
        l.shares += shares;
        if (l.shares != shares) return id;

        uint24[] storage list = prices[side];
        list.push(packed);
        for (uint256 i = list.length - 1; i > 0; i--) {
            uint24 below = list[i - 1];
            if (isAsk ? below > packed : below < packed) break;
            (list[i - 1], list[i]) = (packed, below);
        }
    }

    function remove(uint256 side, uint24 packed, uint128 shares) private {
        if (shares == 0) return;
        Level storage l = levels[side][packed];
        l.shares -= shares;
        if (l.shares != 0) return;
        l.head = uint128(l.ids.length);
        uint24[] storage list = prices[side];
        uint256 at = list.length - 1;
        while (list[at] != packed) at--;
        for (; at + 1 < list.length; at++) list[at] = list[at + 1];
        list.pop();
    }

    /// @dev Pays or takes the difference of what the caller gets and owes of a
    /// token, in its units. What the caller sent as native counts as paid.
    function settle(address token, uint256 scaling, bool native, uint128 gets, uint128 owes) private {
        uint256 credit = gets * scaling;
        uint256 debit = owes * scaling;
        if (native && msg.value != 0) {
            credit += msg.value;
            IHanjiToken(token).deposit{value: msg.value}();
        }
        if (credit < debit) {
            if (!IHanjiToken(token).transferFrom(msg.sender, address(this), debit - credit)) revert TransferFailed();
        } else if (native && credit > debit) {
            IHanjiToken(token).withdraw(credit - debit);
            (bool ok,) = msg.sender.call{value: credit - debit}("");
            if (!ok) revert TransferFailed();
        } else if (credit > debit) {
            if (!IHanjiToken(token).transfer(msg.sender, credit - debit)) revert TransferFailed();
        }
    }

    /// @dev A decimal float of 24 bits: the exponent in the upper four.
    function pack(uint72 price) private pure returns (uint24) {
        uint24 exponent;
        while (price > 999_999) {
            if (price % 10 != 0) revert ExcessiveSignificantFigures();
            price /= 10;
            exponent++;
        }
        return exponent << 20 | uint24(price);
    }

    function unpack(uint24 packed) private pure returns (uint72) {
        return uint72(uint256(packed & 0xfffff) * 10 ** (packed >> 20));
    }

    function min(uint128 a, uint128 b) private pure returns (uint128) {
        return a < b ? a : b;
    }

    function narrow(uint256 n) private pure returns (uint128) {
        if (n > type(uint128).max) revert Unsupported();
        return uint128(n);
    }
}
