// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {HanjiMarket, HanjiTerms} from "./HanjiMarket.sol";

/// @title HanjiFactory
/// @notice Replaces Hanji's factory on the local chain: it opens markets and emits
/// the factory's events.
contract HanjiFactory {
    event OnchainCLOBCreated(
        address indexed creator,
        address OnchainCLOB,
        address tokenXAddress,
        address tokenYAddress,
        bool supportsNativeEth,
        uint256 scalingTokenX,
        uint256 scalingTokenY,
        address administrator,
        address marketmaker,
        address pauser,
        bool shouldInvokeOnTrade,
        uint64 adminCommissionRate,
        uint64 totalAggressiveCommissionRate,
        uint64 totalPassiveCommissionRate,
        uint64 passiveOrderPayoutRate
    );

    function create(HanjiTerms calldata t) external returns (address market) {
        market = address(new HanjiMarket(t, msg.sender));
        emit OnchainCLOBCreated(
            msg.sender,
            market,
            t.tokenX,
            t.tokenY,
            t.supportsNative,
            t.scalingX,
            t.scalingY,
            msg.sender,
            msg.sender,
            msg.sender,
            false,
            0,
            t.aggressiveRate,
            0,
            0
        );
    }
}
