// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title KuruMarket
/// @notice The proxy of an order book on the local chain. Kuru's package holds
/// a build of the book older than its published source, which does not log
/// changes of its vault and of its state. The proxy logs them as the source
/// does, including one deviation of that build: a market order that fills part of a
/// level of the vault rounds the size of the opposite level again.
contract KuruMarket {
    event VaultParamsUpdated(
        uint96 askSize, uint96 askFilled, uint96 bidSize, uint96 bidFilled, uint256 ask, uint256 bid
    );
    event MarketStateUpdated(uint8 previous, uint8 next);

    struct Ladder {
        address vault;
        uint256 bid;
        uint96 bidFilled;
        uint256 ask;
        uint96 askFilled;
        uint96 bidSize;
        uint96 askSize;
        uint96 spread;
    }

    // A slot that the book, which shares this storage, does not use.
    bytes32 private constant STATE = keccak256("KuruMarket.marketState");

    address private immutable book;

    constructor(address book_) {
        book = book_;
    }

    receive() external payable {}

    fallback() external payable {
        Ladder memory was = this.getVaultParams();
        bytes memory answer = forward(msg.data);
        if (was.vault != address(0)) compare(was, this.getVaultParams());
        assembly ("memory-safe") {
            return(add(answer, 32), mload(answer))
        }
    }

    /// @dev Used by this contract too: the book's own would refuse the value of a market
    /// order.
    function getVaultParams() external returns (Ladder memory) {
        return abi.decode(forward(msg.data), (Ladder));
    }

    function updateVaultOrdSz(uint96, uint96, uint256, uint256) external {
        forward(msg.data);
        log(this.getVaultParams());
    }

    function toggleMarkets(bool paused) external {
        forward(msg.data);
        emit MarketStateUpdated(paused ? 0 : 1, paused ? 1 : 0);
        bytes32 slot = STATE;
        assembly ("memory-safe") {
            sstore(slot, paused)
        }
    }

    function marketState() external view returns (uint8 state) {
        bytes32 slot = STATE;
        assembly ("memory-safe") {
            state := sload(slot)
        }
    }

    /// @dev A filled level moves both prices. Any other change is emitted as a log.
    function compare(Ladder memory a, Ladder memory b) private {
        if (a.bid != b.bid && a.ask != b.ask) return;
        if (a.bid != b.bid || a.ask != b.ask || a.bidSize != b.bidSize || a.askSize != b.askSize) log(b);
    }

    function log(Ladder memory l) private {
        emit VaultParamsUpdated(l.askSize, l.askFilled, l.bidSize, l.bidFilled, l.ask, l.bid);
    }

    function forward(bytes memory data) private returns (bytes memory) {
        (bool ok, bytes memory answer) = book.delegatecall(data);
        if (ok) return answer;
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }
}
