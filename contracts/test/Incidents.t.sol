// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Token} from "../dev/Token.sol";
import {Executor} from "../src/Executor.sol";
import {Kind} from "../src/Kind.sol";
import {Router} from "../src/Router.sol";
import {IERC20, Transfer} from "../src/Transfer.sol";
import {BalancerV3} from "../src/kinds/BalancerV3.sol";
import {UniswapV4} from "../src/kinds/UniswapV4.sol";
import {Imp, Rogue} from "./Cast.t.sol";
import {Stage} from "./Stage.t.sol";
import {Mode, Venue} from "./Venue.t.sol";

/// @notice How aggregators were emptied, one by one. The victim and the caller
/// have both approved the Router without limit.
contract IncidentsTest is Stage {
    address private constant IDENTITY = address(4);

    function setUp() external {
        build();
        venue.set(Mode.Honest, address(a), address(b));
    }

    function sound() private view returns (Order memory) {
        return order(address(a), address(b), 1e18, one(4, abi.encodePacked(venue)));
    }

    function spoilt(Mode mode) private returns (Order memory) {
        venue.set(mode, address(a), address(b));
        return sound();
    }

    /// @dev Transit, Dexible: the pool is a token, and its swap a transfer.
    function test_tokenAsPool() external {
        address[4] memory pools = [address(a), address(b), wrapped, IDENTITY];
        for (uint256 i; i < 4; i++) {
            refuses(order(address(a), address(b), 1e18, one(1, v2(pools[i]))), 0, bytes4(0));
            bytes4 why = pools[i] == IDENTITY ? Kind.PartialFill.selector : bytes4(0); // answers, and never asks
            refuses(order(address(a), address(b), 1e18, one(4, abi.encodePacked(pools[i]))), 0, why);
        }
        refuses(order(address(a), address(b), 1e18, one(1, v2(address(router)))), 0, Router.PulledToRouter.selector);
        refuses(order(address(a), address(b), 1e18, one(1, v2(address(executor)))), 0, Kind.NotCalled.selector);
    }

    /// @dev Rubic, Socket, LI.FI (twice), SwapNet: the call target is the caller's.
    function test_tokenAsExecutor() external {
        Order memory o = sound();
        o.executor = address(a);
        refuses(o, 0, bytes4(0));
        o.executor = wrapped; // answers anything
        refuses(o, 0, Router.TooLittleOut.selector);
        o.executor = address(router);
        refuses(o, 0, bytes4(0));
    }

    function test_precompileAsExecutor() external {
        Order memory o = sound();
        o.executor = IDENTITY;
        refuses(o, 0, Router.NotContract.selector);
    }

    /// @dev Sushi RouteProcessor2: a fake pool calls back for somebody's tokens.
    function test_fakePoolCallsBack() external {
        bytes memory asks = abi.encodeWithSignature("uniswapV3SwapCallback(int256,int256,bytes)", int256(1), int256(0), "");
        (bool ok, bytes memory why) = address(executor).call(asks);
        require(!ok && bytes4(why) == Kind.NotCalled.selector, "an uncalled pool is answered");
        refuses(spoilt(Mode.PaysNothing), 0, Router.TooLittleOut.selector);
        refuses(spoilt(Mode.AsksNever), 0, Kind.PartialFill.selector);
    }

    function test_callbackTwice() external {
        refuses(spoilt(Mode.AsksTwice), 0, Kind.NotCalled.selector);
    }

    function test_callbackOverAsking() external {
        refuses(spoilt(Mode.AsksMore), 0, Kind.PartialFill.selector);
    }

    function test_singletonsOverAskAndCallTwice() external {
        Venue[2] memory both = [Venue(payable(MANAGER)), Venue(payable(VAULT))];
        bytes[2] memory routes = [one(5, v4(false)), one(6, abi.encodePacked(address(9)))];
        for (uint256 i; i < 2; i++) {
            both[i].set(Mode.AsksTwice, address(a), address(b));
            refuses(order(address(a), address(b), 1e18, routes[i]), 0, Kind.NotCalled.selector);
            both[i].set(Mode.PaysNothing, address(a), address(b));
            refuses(order(address(a), address(b), 1e18, routes[i]), 0, Kind.ZeroAmount.selector);
        }
        both[0].set(Mode.AsksMore, address(a), address(b));
        refuses(order(address(a), address(b), 1e18, routes[0]), 0, Kind.PartialFill.selector);
    }

    /// @dev Unizen, Odos: a path that moves nothing still reaches a payout.
    function test_zeroAmountPath() external {
        Order memory o = sound();
        o.amountIn = 0;
        refuses(o, 0, Router.ZeroAmount.selector);
        o.amountIn = 1;
        o.route = abi.encodePacked(hex"0004000100000001", venue);
        refuses(o, 0, Kind.ZeroAmount.selector);
        o.route = "";
        refuses(o, 0, Executor.Truncated.selector);
    }

    /// @dev 1inch Fusion v1: lengths reach past the end of calldata.
    function test_truncatedCalldata() external {
        bytes memory whole = data(sound());
        uint256 route = one(4, abi.encodePacked(venue)).length;
        for (uint256 n; n < 4 + 9 * 32 + route; n++) {
            bytes memory cut = new bytes(n);
            for (uint256 i; i < n; i++) cut[i] = whole[i];
            (bool ok,) = address(router).call(cut);
            require(!ok, "cut calldata went through");
        }
        whole[4 + 8 * 32 + 30] = 0xff; // the length of the route
        refusesCall(whole, 0, bytes4(0));
        intact();
    }

    /// @dev A token that calls when it moves.
    function test_reentrantToken() external {
        Imp imp = new Imp(router, executor);
        imp.approve(address(router), type(uint256).max);
        Imp.Manners[2] memory ways = [Imp.Manners.Reenters, Imp.Manners.Insists];
        for (uint256 i; i < 2; i++) {
            imp.set(ways[i], wrapped);
            venue.set(Mode.Honest, address(imp), address(b));
            Order memory o = order(address(imp), address(b), 1e18, one(4, abi.encodePacked(venue)));
            if (i == 0) pays(o, 0, 1e18);
            else refuses(o, 0, Transfer.TransferFailed.selector);
            require(!imp.entered(), "a door was open");
        }
    }

    function test_valueMismatch() external {
        refuses(sound(), 1, Router.WrongValue.selector);
        Order memory o = order(wrapped, address(b), 1e18, one(4, abi.encodePacked(venue)));
        refuses(o, 1e18 - 1, Router.WrongValue.selector);
        refuses(o, 1e18 + 1, Router.WrongValue.selector);
    }

    function test_badRecipient() external {
        address[4] memory bad = [address(router), address(executor), wrapped, address(0)];
        for (uint256 i; i < 4; i++) {
            Order memory o = sound();
            o.recipient = bad[i];
            refuses(o, 0, Router.BadRecipient.selector);
        }
    }

    /// @dev Venues that take by allowance get exactly it, and none stays.
    function test_approvalLeftBehind() external {
        bytes memory route = one(7, kuru(address(venue), 0, 0));
        venue.set(Mode.Honest, address(a), address(b));
        pays(order(address(a), address(b), 1e18, route), 0, 1e18);
        venue.set(Mode.AsksNever, address(a), address(b)); // pays, and would take later
        refuses(order(address(a), address(b), 1e18, route), 0, Kind.PartialFill.selector);
        refuses(order(address(a), address(b), 1e18, one(8, hanji(address(venue), 0, 1))), 0, Kind.PartialFill.selector);
        venue.set(Mode.AsksMore, address(a), address(b));
        refuses(order(address(a), address(b), 1e18, route), 0, Token.InsufficientAllowance.selector);
    }

    function test_wrongUnlockCaller() external {
        (bool ok, bytes memory why) = address(executor).call(abi.encodeCall(UniswapV4.unlockCallback, ("")));
        require(!ok && bytes4(why) == Kind.NotCalled.selector, "unlockCallback");
        (ok, why) = address(executor).call(
            abi.encodeCall(BalancerV3.balancerUnlocked, (address(9), address(a), address(b), 1, stranger))
        );
        require(!ok && bytes4(why) == Kind.NotCalled.selector, "balancerUnlocked");
        vm.prank(MANAGER); // rightly named, but not called
        (ok, why) = address(executor).call(abi.encodeCall(UniswapV4.unlockCallback, ("")));
        require(!ok && bytes4(why) == Kind.NotCalled.selector, "manager out of turn");
    }

    /// @dev ParaSwap V6: whoever is called may spend by the caller's choice.
    function test_hostileExecutor() external {
        Rogue rogue = new Rogue(router, IERC20(address(b)), IERC20(address(a)), victim);
        b.transfer(address(rogue), 100e18);
        Order memory o = sound();
        o.executor = address(rogue);
        bytes4[6] memory whys = [
            Router.TooLittleOut.selector,
            Router.PulledTooMuch.selector,
            Router.PulledToRouter.selector,
            Token.InsufficientAllowance.selector,
            Router.Reentered.selector,
            Router.TooLittleOut.selector
        ];
        for (uint8 i; i < 6; i++) {
            rogue.set(Rogue.Way(i), 1e18);
            refuses(o, 0, whys[i]);
        }
        rogue.set(Rogue.Way.TakesLessAndPays, 1e18);
        uint256 had = a.balanceOf(address(this));
        pays(o, 0, 1e18);
        require(had - a.balanceOf(address(this)) == 0.5e18, "it took more");
        vm.prank(address(rogue));
        (bool ok, bytes memory why) = address(router).call(abi.encodeCall(Router.pull, (stranger, 1)));
        require(!ok && bytes4(why) == Router.NotExecutor.selector, "it pulls after the call");
    }
}
