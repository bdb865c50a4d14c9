// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice A token that is made to harm whoever trades it or reads it.
contract HostileToken {
    enum Harm {
        Reverting, // moves only for the first holder
        NoDecimals, // does not say its decimals
        Lying, // has the balances that its first holder wants
        Taxed, // keeps half of what it moves
        None
    }

    error Refused();

    Harm private immutable harm;
    address private immutable maker;
    uint8 private immutable places;
    mapping(address => uint256) private held;
    uint256 public lie; // added to every balance

    constructor(Harm harm_, uint8 decimals_, address maker_, uint256 supply) {
        (harm, places, maker) = (harm_, decimals_, maker_);
        held[maker_] = supply;
    }

    function symbol() external pure returns (string memory) {
        return "USDC";
    }

    function name() external pure returns (string memory) {
        return "USDC";
    }

    function decimals() external view returns (uint8) {
        if (harm == Harm.NoDecimals) revert Refused();
        return places;
    }

    function balanceOf(address owner) external view returns (uint256) {
        return held[owner] + lie;
    }

    function setLie(uint256 amount) external {
        if (harm == Harm.Lying) lie = amount;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        if (harm == Harm.Reverting && msg.sender != maker) revert Refused();
        held[msg.sender] -= amount;
        held[to] += harm == Harm.Taxed ? amount - amount / 2 : amount;
        return true;
    }
}
