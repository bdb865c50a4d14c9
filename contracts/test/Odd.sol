// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice A token with manners that exist in the wild.
contract Odd {
    enum Manners {
        Silent, // answers nothing
        False, // answers false and moves nothing
        Taxed, // takes 1% of what it moves
        Calling // calls the hook before it moves
    }

    Manners private immutable manners;
    address private immutable hook;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(Manners manners_, address hook_, address holder, uint256 supply) {
        manners = manners_;
        hook = hook_;
        balanceOf[holder] = supply;
    }

    function approve(address spender, uint256 amount) external {
        allowance[msg.sender][spender] = amount;
    }

    function transfer(address to, uint256 amount) external {
        move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        if (manners != Manners.False) allowance[from][msg.sender] -= amount;
        move(from, to, amount);
    }

    function move(address from, address to, uint256 amount) private {
        if (manners == Manners.False) answer(0);
        if (manners == Manners.Calling) {
            (bool ok, bytes memory reason) = hook.call("");
            if (!ok) {
                assembly ("memory-safe") {
                    revert(add(reason, 32), mload(reason))
                }
            }
        }
        balanceOf[from] -= amount;
        balanceOf[to] += manners == Manners.Taxed ? amount - amount / 100 : amount;
        if (manners != Manners.Silent) answer(1);
    }

    function answer(uint256 word) private pure {
        assembly ("memory-safe") {
            mstore(0, word)
            return(0, 32)
        }
    }
}
