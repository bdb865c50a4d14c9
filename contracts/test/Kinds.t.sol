// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Token} from "../dev/Token.sol";
import {Executor} from "../src/Executor.sol";
import {Kind} from "../src/Kind.sol";
import {Router} from "../src/Router.sol";
import {Transfer} from "../src/Transfer.sol";
import {Stage} from "./Stage.t.sol";
import {Mode, Venue} from "./Venue.t.sol";

/// @notice Every kind of step, every way to pay for it, and every refusal.
contract KindsTest is Stage {
    uint256 private constant KEY = 0xa11ce;

    function setUp() external {
        build();
    }

    /// @dev Sets all venues to trade x for y.
    function trade(address x, address y) private {
        venue.set(Mode.Honest, x, y);
        Venue(payable(MANAGER)).set(Mode.Honest, x, y);
        Venue(payable(VAULT)).set(Mode.Honest, x, y);
    }

    function test_pairs() external {
        trade(address(a), address(b));
        second.set(Mode.Honest, address(b), address(c));
        uint256 made = uint256(1e18 * 9970) * 1e30 / (1e34 + 1e18 * 9970);
        pays(order(address(a), address(b), 1e18, one(1, v2(address(venue)))), 0, made);
        bytes memory chain = abi.encodePacked(
            uint8(1), b, hex"01000200000000", v2(address(venue)), hex"81020100000000", v2(address(second))
        );
        pays(order(address(a), address(c), 1e18, chain), 0, made * 9970 * 1e30 / (1e34 + made * 9970));
        trade(address(b), address(a));
        pays(order(address(b), address(a), 1e18, one(1, v2(address(venue)))), 0, made);
    }

    function test_v3() external {
        trade(address(a), address(b));
        pays(order(address(a), address(b), 1e18, one(4, abi.encodePacked(venue))), 0, 1e18);
        trade(address(b), address(a));
        pays(order(address(b), address(a), 1e18, one(4, abi.encodePacked(venue))), 0, 1e18);
        second.set(Mode.Honest, address(a), address(c));
        bytes memory chain = abi.encodePacked(
            uint8(1), a, hex"04000200000000", venue, hex"04020180000000", second, hex"04020100000000", second
        );
        pays(order(address(b), address(c), 1e18, chain), 0, 1e18);
    }

    function test_manager() external {
        pays(order(address(a), address(b), 1e18, one(5, v4(false))), 0, 1e18);
        pays(order(address(b), address(a), 1e18, one(5, v4(false))), 0, 1e18);
        pays(order(wrapped, address(b), 1e18, one(5, v4(true))), 1e18, 1e18);
        pays(order(address(b), NATIVE, 1e18, one(5, v4(true))), 0, 1e18);
        bytes memory hops =
            abi.encodePacked(uint8(2), false, uint24(500), int24(10), c, false, uint24(500), int24(10));
        pays(order(address(a), address(b), 1e18, one(5, hops)), 0, 1e18);
    }

    function test_vault() external {
        pays(order(address(a), address(b), 1e18, one(6, abi.encodePacked(address(9)))), 0, 1e18);
    }

    function test_kuru() external {
        trade(address(a), address(b));
        pays(order(address(a), address(b), 1e18, one(7, kuru(address(venue), 0, 0))), 0, 1e18);
        pays(order(address(a), address(b), 1e18, one(7, kuru(address(venue), 1, 0))), 0, 1e18);
        venue.book(100, false, false);
        pays(order(address(a), address(b), 1e18 + 7, one(7, kuru(address(venue), 0, 2))), 0, 1e18);
        venue.book(100, true, false);
        pays(order(address(a), address(b), 1e18, one(7, kuru(address(venue), 0, -2))), 0, 1e18);
        trade(wrapped, address(b));
        pays(order(wrapped, address(b), 1e18, one(7, kuru(address(venue), 3, 0))), 1e18, 1e18);
        trade(address(b), wrapped);
        venue.book(1, false, true);
        pays(order(address(b), NATIVE, 1e18, one(7, kuru(address(venue), 4, 0))), 0, 1e18);
        refuses(order(address(b), wrapped, 1, one(7, kuru(address(venue), 4, 2))), 0, Kind.ZeroAmount.selector);
        refuses(
            order(address(b), wrapped, 1e30, one(7, kuru(address(venue), 4, 0))), 0, bytes4(keccak256("TooManyLots(uint256)"))
        );
    }

    function test_hanji() external {
        trade(address(a), address(b));
        venue.book(100, false, false);
        pays(order(address(a), address(b), 1e18 + 7, one(8, hanji(address(venue), 0, 100))), 0, 1e18);
        venue.book(1, false, false);
        pays(order(address(a), address(b), 1e18, one(8, hanji(address(venue), 1, 1))), 0, 1e18);
        trade(address(b), wrapped);
        venue.book(1, false, true);
        pays(order(address(b), NATIVE, 1e18, one(8, hanji(address(venue), 2, 1))), 0, 1e18);
    }

    function test_curve() external {
        trade(wrapped, address(b));
        pays(order(wrapped, address(b), 1e18, one(9, abi.encodePacked(venue))), 0, 1e18);
        trade(address(b), wrapped);
        venue.book(1, false, true);
        pays(order(address(b), wrapped, 1e18, one(9, abi.encodePacked(venue))), 0, 1e18);
    }

    /// @dev Dust of a token in between goes back to the sender.
    function test_dust() external {
        trade(address(a), address(b));
        second.set(Mode.Honest, address(b), address(c));
        second.book(100, false, false);
        bytes memory chain = abi.encodePacked(
            uint8(1), b, hex"04000200000000", venue, hex"07020100000000", kuru(address(second), 0, 2)
        );
        uint256 had = b.balanceOf(address(this));
        pays(order(address(a), address(c), 1e18 + 7, chain), 0, 1e18);
        require(b.balanceOf(address(this)) - had == 7, "dust is lost");
    }

    // Fees.

    address private constant INTEGRATOR = address(0x171e6);

    /// @dev A route with a fee before it.
    function charged(uint8 side, uint16 bps, address to, bytes memory route) private pure returns (bytes memory) {
        bytes memory fee = abi.encodePacked(uint8(0x80) | uint8(route[0]), side, bps, to);
        for (uint256 i = 1; i < route.length; i++) fee = bytes.concat(fee, route[i]);
        return fee;
    }

    function paysFee(Order memory o, uint256 value, uint256 want, address token, uint256 fee) private {
        uint256 had = held(token, INTEGRATOR);
        pays(o, value, want);
        require(held(token, INTEGRATOR) - had == fee, "another fee");
    }

    function test_feeOfInput() external {
        trade(address(a), address(b));
        bytes memory route = one(4, abi.encodePacked(venue));
        paysFee(order(address(a), address(b), 1e18, charged(0, 300, INTEGRATOR, route)), 0, 97e16, address(a), 3e16);
        paysFee(order(address(a), address(b), 9_999, charged(0, 1, INTEGRATOR, route)), 0, 9_999, address(a), 0);
        second.set(Mode.Honest, address(b), address(c));
        route = abi.encodePacked(
            uint8(1), b, hex"04000200000000", venue, hex"04020180000000", second, hex"04020100000000", second
        );
        paysFee(order(address(a), address(c), 1e18, charged(0, 50, INTEGRATOR, route)), 0, 995e15, address(a), 5e15);
        trade(wrapped, address(b));
        route = one(5, v4(true));
        paysFee(order(wrapped, address(b), 1e18, charged(0, 50, INTEGRATOR, route)), 1e18, 995e15, wrapped, 5e15);
        paysFee(order(wrapped, address(b), 1e18, charged(0, 50, INTEGRATOR, route)), 0, 995e15, wrapped, 5e15);
    }

    function test_feeOfOutput() external {
        trade(address(a), address(b));
        bytes memory route = abi.encodePacked(
            uint8(0), hex"04000140000000", venue, hex"07000180000000", kuru(address(venue), 0, 0), hex"05000100000000", v4(false)
        );
        paysFee(order(address(a), address(b), 1e18, charged(1, 300, INTEGRATOR, route)), 0, 97e16, address(b), 3e16);
        paysFee(order(address(a), address(b), 9_999, charged(1, 1, INTEGRATOR, route)), 0, 9_999, address(b), 0);
        Order memory o = order(address(b), NATIVE, 1e18, charged(1, 100, INTEGRATOR, one(5, v4(true))));
        paysFee(o, 0, 99e16, wrapped, 1e16);
        o.minOut = 99e16 + 1;
        refuses(o, 0, Router.TooLittleOut.selector);
        trade(address(b), wrapped);
        venue.book(1, false, true);
        route = one(7, kuru(address(venue), 4, 0));
        paysFee(order(address(b), NATIVE, 1e18, charged(1, 100, INTEGRATOR, route)), 0, 99e16, wrapped, 1e16);
    }

    function test_feesThatMakeNoSense() external {
        trade(address(a), address(b));
        bytes memory route = one(4, abi.encodePacked(venue));
        bytes[6] memory routes = [
            charged(0, 0, INTEGRATOR, route),
            charged(0, 301, INTEGRATOR, route),
            charged(2, 10, INTEGRATOR, route),
            charged(0, 10, address(0), route),
            charged(1, 10, address(router), route),
            charged(1, 10, address(executor), route)
        ];
        for (uint256 i; i < 6; i++) {
            refuses(order(address(a), address(b), 1e18, routes[i]), 0, Executor.BadFee.selector);
        }
        refuses(order(address(a), address(b), 1e18, hex"800000010000"), 0, Executor.Truncated.selector);
    }

    function testFuzz_fees(uint96 amount, uint16 bps, bool out) external {
        trade(address(a), address(b));
        uint256 put = uint256(amount) % 1e25 + 1;
        uint16 rate = bps % 300 + 1;
        uint256 fee = put * rate / 10_000;
        bytes memory route = charged(out ? 1 : 0, rate, INTEGRATOR, one(4, abi.encodePacked(venue)));
        paysFee(order(address(a), address(b), put, route), 0, put - fee, out ? address(b) : address(a), fee);
    }

    function test_nativeByItsOwnName() external {
        trade(address(b), wrapped);
        venue.book(1, false, true);
        refuses(order(address(b), address(a), 1e18, one(9, abi.encodePacked(venue))), 0, Kind.NotNative.selector);
        refuses(order(address(b), address(a), 1e18, one(7, kuru(address(venue), 3, 0))), 0, Kind.NotNative.selector);
    }

    function test_routesThatMakeNoSense() external {
        trade(address(a), address(b));
        Order memory o = order(address(a), address(b), 1e18, one(77, ""));
        refuses(o, 0, Executor.UnknownKind.selector);
        o.route = hex"";
        refuses(o, 0, Executor.Truncated.selector);
        o.route = hex"00";
        refuses(o, 0, Executor.LeftOver.selector);
        o.route = one(5, hex"00");
        refuses(o, 0, Executor.Truncated.selector);
        o.route = abi.encodePacked(hex"0004000200000000", venue);
        refuses(o, 0, Executor.UnknownToken.selector);
        o.route = abi.encodePacked(hex"0004020100000000", venue);
        refuses(o, 0, Executor.UnknownToken.selector);
        o.route = abi.encodePacked(hex"0004010100000000", venue);
        refuses(o, 0, Executor.Backwards.selector);
        o.route = abi.encodePacked(hex"0081000100000000", v2(address(venue)));
        refuses(o, 0, Executor.NotPrepaid.selector);
        o.route = abi.encodePacked(hex"0004000100000001", venue);
        o.amountIn = 1;
        refuses(o, 0, Kind.ZeroAmount.selector);
    }

    function test_router() external {
        trade(address(a), address(b));
        bytes memory route = one(4, abi.encodePacked(venue));
        Order memory o = order(address(a), address(b), 1e18, route);
        refuses(o, 1, Router.WrongValue.selector);
        o.deadline--;
        refuses(o, 0, Router.Expired.selector);
        o = order(address(a), address(b), 0, route);
        refuses(o, 0, Router.ZeroAmount.selector);
        o = order(address(a), address(a), 1, route);
        refuses(o, 0, Router.SameToken.selector);
        o = order(wrapped, NATIVE, 1, route);
        refuses(o, 0, Router.SameToken.selector);
        o = order(address(a), address(b), 1e18, route);
        o.minOut = 1e18 + 1;
        refuses(o, 0, Router.TooLittleOut.selector);
        o.minOut = 0;
        refuses(o, 0, Router.ZeroAmount.selector);
        trade(address(b), wrapped);
        o = order(address(b), NATIVE, 1e18, route);
        o.recipient = address(a); // takes no native
        refuses(o, 0, Router.NativeRefused.selector);
        (bool ok, bytes memory why) = address(router).call{value: 1}("");
        require(!ok && bytes4(why) == Router.NotWrappedNative.selector);
        (ok, why) = address(executor).call{value: 1}("");
        require(!ok && bytes4(why) == Kind.NotCalled.selector);
    }

    function test_permit() external {
        trade(address(a), address(b));
        address signer = vm.addr(KEY);
        a.transfer(signer, 2e18);
        Router.Permit memory p = signPermit(KEY, a, 1e18);
        bytes memory call_ = abi.encodeCall(
            Router.swapWithPermit,
            (address(a), 1e18, address(b), 1e18, recipient, block.timestamp, address(executor), one(4, abi.encodePacked(venue)), p)
        );
        refusesCall(call_, 1, bytes4(0));
        vm.prank(stranger);
        (bool ok,) = address(router).call(call_);
        require(!ok, "a stranger used it");
        vm.prank(signer);
        (ok,) = address(router).call(call_);
        require(ok && b.balanceOf(recipient) == 1e18 && a.balanceOf(signer) == 1e18, "permit");
        vm.prank(signer);
        (ok,) = address(router).call(call_);
        require(!ok, "twice");
        intact();
    }

    function test_permit2() external {
        trade(address(a), address(b));
        address signer = vm.addr(KEY);
        a.transfer(signer, 2e18);
        vm.prank(signer);
        a.approve(PERMIT2, type(uint256).max);
        Router.Permit2 memory p = signPermit2(KEY, address(a), 1e18 + 7, 3);
        venue.book(100, false, false);
        bytes memory call_ = abi.encodeCall(
            Router.swapWithPermit2,
            (address(a), 1e18 + 7, address(b), 1e18, recipient, block.timestamp, address(executor), one(7, kuru(address(venue), 0, 2)), p)
        );
        vm.prank(stranger);
        (bool ok,) = address(router).call(call_);
        require(!ok, "a stranger used it");
        vm.prank(signer);
        (ok,) = address(router).call(call_);
        require(ok && b.balanceOf(recipient) == 1e18 && a.balanceOf(signer) == 1e18, "what was not pulled is lost");
        intact();
    }

    // Any amount, any split.

    function testFuzz_amounts(uint96 amount, uint8 which) external {
        uint256 n = uint256(amount) % 1e24 + 1e4;
        trade(address(a), address(b));
        uint8[5] memory kinds = [4, 5, 6, 7, 8];
        uint8 kind = kinds[which % 5];
        bytes memory body = abi.encodePacked(venue);
        if (kind == 5) body = v4(false);
        if (kind == 7) body = kuru(address(venue), 0, 0);
        if (kind == 8) body = hanji(address(venue), 0, 1);
        pays(order(address(a), address(b), n, one(kind, body)), 0, n);
    }

    function testFuzz_shares(uint96 amount, uint32 x, uint32 y) external {
        trade(address(a), address(b));
        uint256 n = uint256(amount) % 1e24 + 1e12;
        if (x == 0) x = 1;
        if (y == 0) y = 1;
        uint256 first = n * x >> 32;
        bytes memory route = abi.encodePacked(
            hex"00040001", x, venue, hex"040001", y, venue, hex"04000100000000", venue
        );
        if (first == 0 || (n - first) * y >> 32 == 0) {
            refuses(order(address(a), address(b), n, route), 0, Kind.ZeroAmount.selector);
        } else {
            pays(order(address(a), address(b), n, route), 0, n);
        }
    }

    function testFuzz_minOut(uint96 amount, uint256 minOut) external {
        uint256 n = uint256(amount) % 1e24 + 1;
        trade(address(a), address(b));
        Order memory o = order(address(a), address(b), n, one(4, abi.encodePacked(venue)));
        o.minOut = minOut;
        if (minOut == 0) refuses(o, 0, Router.ZeroAmount.selector);
        else if (minOut > n) refuses(o, 0, Router.TooLittleOut.selector);
        else pays(o, 0, n);
    }

    /// @dev Whatever bytes a route holds, nobody else pays and nothing is left.
    function testFuzz_bytes(bytes memory route, uint8 n) external {
        trade(address(a), address(b));
        bytes memory whole = bytes.concat(one(4, abi.encodePacked(venue)), route);
        if (n % 2 == 0) whole = route;
        (bool ok,) = address(router).call(data(order(address(a), address(b), 1e18, whole)));
        ok;
        intact();
    }
}
