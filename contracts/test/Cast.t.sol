// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Executor} from "../src/Executor.sol";
import {Router} from "../src/Router.sol";
import {IERC20} from "../src/Transfer.sol";

/// @notice A hostile token. Anybody has any amount of it.
contract Imp {
    enum Manners {
        Plain,
        AnswersNothing,
        AnswersFalse,
        Taxes,
        Lies, // about balances
        Reenters,
        Insists, // re-enters, and reverts with the refusal
        BurnsGas,
        Refuses
    }

    Router private immutable router;
    Executor private immutable executor;

    Manners public manners;
    address private other; // a token
    bool public entered;
    mapping(address => int256) private moved;

    constructor(Router router_, Executor executor_) {
        (router, executor) = (router_, executor_);
    }

    function set(Manners manners_, address other_) external {
        (manners, other) = (manners_, other_);
    }

    function balanceOf(address who) external view returns (uint256) {
        if (manners == Manners.Lies) return gasleft();
        return uint256(int256(1e40) + moved[who]);
    }

    function approve(address, uint256) external pure returns (bool) {
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        return move(from, to, amount);
    }

    function permit(address, address, uint256, uint256, uint8, bytes32, bytes32) external {
        misbehave();
    }

    function move(address from, address to, uint256 amount) private returns (bool) {
        misbehave();
        moved[from] -= int256(amount);
        moved[to] += int256(manners == Manners.Taxes ? amount - amount / 100 : amount);
        return true;
    }

    function misbehave() private {
        if (manners == Manners.AnswersNothing || manners == Manners.AnswersFalse) {
            uint256 size = manners == Manners.AnswersFalse ? 32 : 0;
            assembly {
                mstore(0, 0)
                return(0, size)
            }
        }
        require(manners != Manners.Refuses);
        if (manners == Manners.BurnsGas) {
            while (true) {}
        }
        if (manners != Manners.Reenters && manners != Manners.Insists) return;
        knock(address(router), abi.encodeCall(Router.pull, (address(this), 1)));
        knock(
            address(router),
            abi.encodeCall(
                Router.swap,
                (address(this), 1, other, 1, address(this), block.timestamp, address(executor), hex"00")
            )
        );
        knock(
            address(executor),
            abi.encodeCall(Executor.execute, (address(this), address(this), 1, other, address(this), hex"00"))
        );
        knock(
            address(executor),
            abi.encodeWithSignature("uniswapV3SwapCallback(int256,int256,bytes)", int256(1), int256(0), "")
        );
    }

    function knock(address at, bytes memory what) private {
        (bool ok, bytes memory why) = at.call(what);
        if (ok) entered = true;
        else if (manners == Manners.Insists) {
            assembly {
                revert(add(why, 32), mload(why))
            }
        }
    }
}

/// @notice A hostile executor.
contract Rogue {
    enum Way {
        TakesAll, // and pays nothing
        TakesMore,
        TakesForTheRouter,
        TakesTheVictims,
        Reenters,
        DoesNothing,
        TakesLessAndPays,
        TakesTwiceAndPays,
        BurnsGas
    }

    Router private immutable router;
    IERC20 private immutable pays;
    IERC20 private immutable wants;
    address private immutable victim;

    Way public way;
    uint256 private price;

    constructor(Router router_, IERC20 pays_, IERC20 wants_, address victim_) {
        (router, pays, wants, victim) = (router_, pays_, wants_, victim_);
    }

    function set(Way way_, uint256 price_) external {
        (way, price) = (way_, price_);
    }

    function execute(address, address tokenIn, uint256 amount, address tokenOut, address to, bytes calldata route)
        external
    {
        if (way == Way.TakesAll) router.pull(address(this), amount);
        if (way == Way.TakesMore) router.pull(address(this), amount + 1);
        if (way == Way.TakesForTheRouter) router.pull(address(router), amount);
        if (way == Way.TakesTheVictims) wants.transferFrom(victim, address(this), 1);
        if (way == Way.Reenters) router.swap(tokenIn, 1, tokenOut, 1, to, block.timestamp, address(this), route);
        if (way == Way.TakesTwiceAndPays) {
            router.pull(address(this), amount / 2);
            router.pull(address(this), amount - amount / 2);
            pays.transfer(to, price);
        }
        if (way == Way.TakesLessAndPays) {
            router.pull(address(this), amount / 2);
            pays.transfer(to, price);
        }
        if (way == Way.BurnsGas) {
            while (true) {}
        }
    }
}
