// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IVaultParams {
    function getVaultParams()
        external
        view
        returns (
            address vault,
            uint256 bestBid,
            uint96 bidPartiallyFilled,
            uint256 bestAsk,
            uint96 askPartiallyFilled,
            uint96 bidSize,
            uint96 askSize,
            uint96 spread
        );
}

/// @title KuruMarket
/// @notice The proxy of an order book on the local chain. Kuru's package holds
/// a build of the book older than the one on mainnet, which does not log the
/// changes of its vault and of its state; the proxy logs them as mainnet does.
contract KuruMarket {
    event VaultParamsUpdated(
        uint96 askSize,
        uint96 askPartiallyFilled,
        uint96 bidSize,
        uint96 bidPartiallyFilled,
        uint256 askPrice,
        uint256 bidPrice
    );
    event MarketStateUpdated(uint8 previous, uint8 next);

    address private immutable book;

    constructor(address book_) {
        book = book_;
    }

    function updateVaultOrdSz(uint96, uint96, uint256, uint256) external {
        forward(msg.data);
        bytes memory answer = forward(abi.encodeCall(IVaultParams.getVaultParams, ()));
        (, uint256 bid, uint96 bidFilled, uint256 ask, uint96 askFilled, uint96 bidSize, uint96 askSize,) =
            abi.decode(answer, (address, uint256, uint96, uint256, uint96, uint96, uint96, uint96));
        emit VaultParamsUpdated(askSize, askFilled, bidSize, bidFilled, ask, bid);
    }

    function toggleMarkets(bool state) external {
        forward(msg.data);
        emit MarketStateUpdated(state ? 1 : 0, state ? 0 : 1);
    }

    fallback() external payable {
        bytes memory answer = forward(msg.data);
        assembly ("memory-safe") {
            return(add(answer, 32), mload(answer))
        }
    }

    receive() external payable {}

    function forward(bytes memory data) private returns (bytes memory) {
        (bool ok, bytes memory answer) = book.delegatecall(data);
        if (ok) return answer;
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }
}
