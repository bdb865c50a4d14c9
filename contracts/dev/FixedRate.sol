// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title FixedRate
/// @notice What a token is worth in another, once and for all.
contract FixedRate {
    uint256 public immutable getRate;

    constructor(uint256 rate) {
        getRate = rate;
    }
}
