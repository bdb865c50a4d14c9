// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice A token with the storage of Token that does not behave alike for everybody.
/// Its code replaces that of a Token.
contract MoodyToken {
    enum Mood {
        Patient, // what arrived in a block moves in a later one, against bots
        Trap, // is sold by its maker alone
        Taxed, // keeps a hundredth of what it moves
        Watchful // keeps a hundredth unless gas is free, as in a call without a gas price
    }

    error Refused();

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) private arrived; // number of a block

    Mood private immutable mood;
    address private immutable maker;

    constructor(Mood mood_, address maker_) {
        (mood, maker) = (mood_, maker_);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        move(from, to, amount);
        return true;
    }

    function move(address from, address to, uint256 amount) private {
        if (mood == Mood.Patient) {
            if (arrived[from] == block.number) revert Refused();
            arrived[to] = block.number;
        }
        if (mood == Mood.Trap && from != maker && allowance[from][msg.sender] != 0) revert Refused();
        uint256 kept = mood == Mood.Taxed || (mood == Mood.Watchful && tx.gasprice != 0) ? amount / 100 : 0;
        balanceOf[from] -= amount;
        balanceOf[to] += amount - kept;
    }
}
