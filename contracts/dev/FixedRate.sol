// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title FixedRate
/// @notice A rate provider whose rate never changes.
contract FixedRate {
    uint256 public immutable getRate;

    constructor(uint256 rate) {
        getRate = rate;
    }
}
