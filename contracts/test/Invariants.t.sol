// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Token} from "../dev/Token.sol";
import {Router} from "../src/Router.sol";
import {IERC20} from "../src/Transfer.sol";
import {BalancerV3} from "../src/kinds/BalancerV3.sol";
import {Imp, Rogue} from "./Cast.t.sol";
import {Stage} from "./Stage.t.sol";
import {Mode, Venue} from "./Venue.t.sol";

/// @notice A user who swaps through whatever venues, tokens and executors chance
/// brings, and keeps the books.
contract Player is Stage {
    uint256 private constant KEY = 0xa11ce;
    uint256 private constant GAS = 3_000_000; // some partners burn all of it

    Imp private imp;
    Rogue private rogue;
    uint256 private nonce;

    uint256 public sent;
    uint256 public through;
    string public broken; // what law was

    constructor() payable {
        build();
        imp = new Imp(router, executor);
        rogue = new Rogue(router, IERC20(address(b)), IERC20(address(a)), victim);
        b.transfer(address(rogue), 1e26);
        address signer = vm.addr(KEY);
        a.transfer(signer, 1e26);
        vm.prank(signer);
        a.approve(PERMIT2, type(uint256).max);
    }

    /// @notice Any kind of venue, with any manners, between good tokens.
    function swapThrough(uint8 kind, uint8 mode, uint8 pair, uint96 amount, uint8 funds, bytes calldata tail) external {
        (address x, address y) = ends(pair);
        bool native = y == wrapped && funds & 4 != 0;
        Mode how = Mode(mode % (uint8(type(Mode).max) + 1));
        venue.set(how, x, y);
        Venue(payable(MANAGER)).set(how, x, y);
        Venue(payable(VAULT)).set(how, x, y);
        bytes memory route = through_(kind % 9, x, y);
        if (funds & 8 != 0) route = bytes.concat(route, tail);
        if (funds & 16 != 0) route = charged(funds >> 7, uint16(amount % 310), route);
        Order memory o = order(x, native ? NATIVE : y, uint256(amount) % 1e22 + 1, route);
        play(o, x == wrapped && funds & 1 != 0 ? o.amountIn : 0);
        if (venue.entered() || Venue(payable(MANAGER)).entered() || Venue(payable(VAULT)).entered()) {
            broken = "a venue found a door open";
        }
    }

    function through_(uint8 kind, address x, address y) private returns (bytes memory) {
        if (kind == 0) return one(1, v2(address(venue)));
        if (kind == 1) return one(4, abi.encodePacked(venue));
        if (kind == 2) return one(5, v4(x == wrapped || y == wrapped));
        if (kind == 3) return one(6, abi.encodePacked(address(9)));
        if (kind == 4) return one(7, kuru(address(venue), 1, 0));
        if (kind == 5) return one(8, hanji(address(venue), 0, 1));
        if (kind == 6) return one(9, abi.encodePacked(venue));
        venue.book(1, false, y == wrapped);
        if (kind == 7) return one(7, kuru(address(venue), (x == wrapped ? 2 : 0) | (y == wrapped ? 4 : 0), 0));
        return one(8, hanji(address(venue), 3, 1));
    }

    /// @dev A route with a fee before it, some of them out of range.
    function charged(uint8 side, uint16 bps, bytes memory route) private pure returns (bytes memory fee) {
        fee = abi.encodePacked(uint8(0x80) | uint8(route[0]), side, bps, stranger);
        for (uint256 i = 1; i < route.length; i++) fee = bytes.concat(fee, route[i]);
    }

    function ends(uint8 pair) private view returns (address, address) {
        address[4] memory tokens = [address(a), address(b), address(c), wrapped];
        uint256 x = pair % 4;
        uint256 y = (x + 1 + pair / 4 % 3) % 4;
        return (tokens[x], tokens[y]);
    }

    /// @notice A hostile token at either end or in between.
    function swapImp(uint8 manners, uint8 where, uint96 amount) external {
        imp.set(Imp.Manners(manners % (uint8(type(Imp.Manners).max) + 1)), wrapped);
        address x = where % 3 == 0 ? address(imp) : address(a);
        address y = where % 3 == 1 ? address(imp) : address(b);
        bytes memory route = one(4, abi.encodePacked(venue));
        venue.set(Mode.Honest, x, y);
        if (where % 3 == 2) {
            venue.set(Mode.Honest, x, address(imp));
            second.set(Mode.Honest, address(imp), y);
            route = abi.encodePacked(uint8(1), imp, hex"04000200000000", venue, hex"04020100000000", second);
        }
        play(order(x, y, uint256(amount) % 1e22 + 1, route), 0);
        if (imp.entered()) broken = "a token found a door open";
    }

    /// @notice A hostile executor.
    function swapRogue(uint8 way, uint96 amount, uint96 price) external {
        rogue.set(Rogue.Way(way % (uint8(type(Rogue.Way).max) + 1)), uint256(price) % 1e20);
        Order memory o = order(address(a), address(b), uint256(amount) % 1e22 + 1, "");
        o.executor = address(rogue);
        play(o, 0);
    }

    /// @notice By Permit2, of the signer or of somebody who only has the signature.
    function swapSigned(bool thief, uint8 mode, uint96 amount) external {
        uint256 n = uint256(amount) % 1e20 + 1;
        venue.set(Mode(mode % (uint8(type(Mode).max) + 1)), address(a), address(b));
        Router.Permit2 memory p = signPermit2(KEY, address(a), n, nonce++);
        bytes memory call_ = abi.encodeCall(
            Router.swapWithPermit2,
            (address(a), n, address(b), 1, recipient, block.timestamp, address(executor), one(4, abi.encodePacked(venue)), p)
        );
        uint256 had = a.balanceOf(vm.addr(KEY));
        vm.prank(thief ? victim : vm.addr(KEY));
        (bool ok,) = address(router).call{gas: GAS}(call_);
        sent++;
        uint256 spent = had - a.balanceOf(vm.addr(KEY));
        if (spent > n || spent != 0 && (!ok || thief)) broken = "a signature was misused";
        check();
    }

    /// @notice A stranger at any door.
    function knock(uint8 door, bytes calldata what, uint96 amount) external {
        bytes memory call_ = what;
        if (door % 4 == 0) call_ = abi.encodeCall(Router.pull, (stranger, amount));
        if (door % 4 == 1) {
            call_ = abi.encodeCall(BalancerV3.balancerUnlocked, (address(9), address(a), address(b), amount, stranger));
        }
        vm.prank(stranger);
        (bool ok,) = (door % 2 == 0 ? address(router) : address(executor)).call{gas: GAS}(call_);
        sent++;
        if (ok && call_.length >= 4 && bytes4(call_) != Router(router).wrappedNative.selector) {
            if (bytes4(call_) != bytes4(keccak256("router()"))) broken = "a stranger entered";
        }
        check();
    }

    function play(Order memory o, uint256 value) private {
        uint256 had = held(o.tokenOut, recipient);
        uint256[4] memory mine = purse();
        (bool ok,) = address(router).call{gas: GAS, value: value}(data(o));
        sent++;
        if (ok) through++;
        if (ok && o.tokenOut != address(imp) && held(o.tokenOut, recipient) - had < o.minOut) broken = "paid too little";
        uint256[4] memory now_ = purse();
        address[4] memory tokens = [address(a), address(b), address(c), wrapped];
        for (uint256 i; i < 4; i++) {
            uint256 most = ok && tokens[i] == o.tokenIn ? o.amountIn : 0;
            if (mine[i] > now_[i] && mine[i] - now_[i] > most) broken = "took what is not amountIn";
        }
        check();
    }

    function purse() private view returns (uint256[4] memory n) {
        return [a.balanceOf(address(this)), b.balanceOf(address(this)), c.balanceOf(address(this)), held(wrapped, address(this))];
    }

    function check() private {
        try this.look() {}
        catch Error(string memory why) {
            broken = why;
        }
    }

    function look() external view {
        intact();
    }
}

/// @notice Whatever the player meets: nobody's allowance but the caller's moves,
/// nothing is left behind, the recipient gets minOut or all reverts.
contract InvariantsTest {
    Player private player;

    function setUp() external {
        player = new Player();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(player);
    }

    function invariant_laws() external view {
        require(bytes(player.broken()).length == 0, player.broken());
    }

    /// @dev Of many swaps some must go through, or nothing was tested.
    function afterInvariant() external view {
        require(player.sent() < 30 || player.through() > 0, "no swap went through");
    }
}
