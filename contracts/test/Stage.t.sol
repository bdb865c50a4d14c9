// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Token} from "../dev/Token.sol";
import {Executor} from "../src/Executor.sol";
import {Router} from "../src/Router.sol";
import {IERC20} from "../src/Transfer.sol";
import {Mode, Venue} from "./Venue.t.sol";

/// @notice What the tests use of forge.
interface Vm {
    function deal(address who, uint256 amount) external;
    function etch(address at, bytes calldata code) external;
    function prank(address who) external;
    function warp(uint256 time) external;
    function readFile(string calldata path) external view returns (string memory);
    function parseJsonBytes(string calldata json, string calldata key) external pure returns (bytes memory);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function addr(uint256 key) external pure returns (address);
}

/// @notice Our two contracts, wrapped native and Permit2 as they are on the
/// chain, three tokens, and venues of every kind that pay one for one. Whoever
/// stands on the stage is the user; user and victim have approved the Router
/// without limit. Both contracts hold something that belongs to nobody.
abstract contract Stage {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    address internal constant MANAGER = 0x188d586Ddcf52439676Ca21A244753fA19F9Ea8e;
    address internal constant VAULT = 0xbA1333333333a1BA1108E8412f11850A5C319bA9;
    address internal constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;
    address internal constant NATIVE = address(0);
    address internal constant recipient = address(0xb0b0b0b);
    address internal constant victim = address(0xdadadad);
    address internal constant stranger = address(0xe111e111e);
    uint256 internal constant DONATED = 7e18;

    Router internal router;
    Executor internal executor;
    address internal wrapped;
    Token internal a;
    Token internal b;
    Token internal c;
    Venue internal venue;
    Venue internal second;

    struct Order {
        address tokenIn;
        uint256 amountIn;
        address tokenOut;
        uint256 minOut;
        address recipient;
        uint256 deadline;
        address executor;
        bytes route;
    }

    receive() external payable {}

    function build() internal {
        vm.warp(1_760_000_000);
        vm.deal(address(this), 1e30);
        wrapped = create(artifact("WETH9"));
        router = new Router(wrapped);
        executor = new Executor(address(router), wrapped);
        place(PERMIT2, artifact("Permit2"));
        (a, b, c) = (mint("A"), mint("B"), mint("C"));
        if (address(a) > address(b)) (a, b) = (b, a);
        (bool ok,) = wrapped.call{value: 1e27}("");
        require(ok);
        venue = new Venue(router, executor, wrapped);
        second = new Venue(router, executor, wrapped);
        place(MANAGER, abi.encodePacked(type(Venue).creationCode, abi.encode(router, executor, wrapped)));
        place(VAULT, abi.encodePacked(type(Venue).creationCode, abi.encode(router, executor, wrapped)));
        address[4] memory tokens = [address(a), address(b), address(c), wrapped];
        for (uint256 i; i < 4; i++) endow(IERC20(tokens[i]));
        vm.deal(address(router), DONATED);
        vm.deal(address(executor), DONATED);
        address[4] memory venues = [address(venue), address(second), MANAGER, VAULT];
        for (uint256 i; i < 4; i++) vm.deal(venues[i], 1e26);
    }

    function endow(IERC20 token) internal {
        token.approve(address(router), type(uint256).max);
        token.approve(PERMIT2, type(uint256).max);
        address[4] memory venues = [address(venue), address(second), MANAGER, VAULT];
        for (uint256 i; i < 4; i++) token.transfer(venues[i], 1e26);
        token.transfer(victim, 1e24);
        token.transfer(address(router), DONATED);
        token.transfer(address(executor), DONATED);
        vm.prank(victim);
        token.approve(address(router), type(uint256).max);
    }

    function mint(string memory name) private returns (Token) {
        return new Token(name, name, 18, address(this), 1e30);
    }

    function artifact(string memory name) internal view returns (bytes memory) {
        return vm.parseJsonBytes(vm.readFile(string.concat("../build/artifacts/", name, ".json")), ".code");
    }

    function create(bytes memory init) internal returns (address at) {
        assembly {
            at := create(0, add(init, 32), mload(init))
        }
        require(at != address(0));
    }

    /// @dev Runs creation code as the code of an address of choice.
    function place(address at, bytes memory init) internal {
        vm.etch(at, init);
        (bool ok, bytes memory code) = at.call("");
        require(ok);
        vm.etch(at, code);
    }

    // Orders.

    function order(address tokenIn, address tokenOut, uint256 amount, bytes memory route)
        internal
        view
        returns (Order memory)
    {
        return Order(tokenIn, amount, tokenOut, 1, recipient, block.timestamp, address(executor), route);
    }

    function data(Order memory o) internal pure returns (bytes memory) {
        return abi.encodeCall(
            Router.swap,
            (o.tokenIn, o.amountIn, o.tokenOut, o.minOut, o.recipient, o.deadline, o.executor, o.route)
        );
    }

    function held(address token, address who) internal view returns (uint256) {
        return token == NATIVE ? who.balance : IERC20(token).balanceOf(who);
    }

    function pays(Order memory o, uint256 value, uint256 want) internal {
        uint256 had = held(o.tokenOut, o.recipient);
        (bool ok, bytes memory answer) = address(router).call{value: value}(data(o));
        require(ok, string(answer));
        require(held(o.tokenOut, o.recipient) - had == want, "paid something else");
        require(abi.decode(answer, (uint256)) == want, "says something else");
        intact();
    }

    function refuses(Order memory o, uint256 value, bytes4 why) internal {
        refusesCall(data(o), value, why);
    }

    function refusesCall(bytes memory call_, uint256 value, bytes4 why) internal {
        (bool ok, bytes memory answer) = address(router).call{value: value}(call_);
        require(!ok, "went through");
        require(bytes4(answer) == why, "reverted by another name");
        intact();
    }

    /// @dev Laws 1 and 5: what is the victim's, and what belongs to nobody, stays.
    function intact() internal view {
        address[5] memory tokens = [address(a), address(b), address(c), wrapped, NATIVE];
        for (uint256 i; i < 5; i++) {
            require(held(tokens[i], address(router)) == DONATED, "the Router holds something else");
            require(held(tokens[i], address(executor)) == DONATED, "the Executor holds something else");
            if (i == 4) break;
            require(held(tokens[i], victim) == 1e24, "the victim paid");
            require(Token(tokens[i]).allowance(address(executor), address(venue)) == 0, "an allowance is left");
        }
    }

    // Routes.

    function one(uint8 kind, bytes memory body) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(0), kind, uint8(0), uint8(1), uint32(0), body);
    }

    function v2(address pair) internal pure returns (bytes memory) {
        return abi.encodePacked(pair, uint16(30));
    }

    function v4(bool native) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(1), native, uint24(500), int24(10));
    }

    function kuru(address market, uint8 flags, int8 lot) internal pure returns (bytes memory) {
        return abi.encodePacked(market, market, flags, lot);
    }

    function hanji(address market, uint8 flags, uint128 unit) internal pure returns (bytes memory) {
        return abi.encodePacked(market, flags, unit);
    }

    // Permits.

    function signPermit2(uint256 key, address token, uint256 amount, uint256 nonce)
        internal
        view
        returns (Router.Permit2 memory)
    {
        (, bytes memory domain) = PERMIT2.staticcall(abi.encodeWithSignature("DOMAIN_SEPARATOR()"));
        bytes32 permitted = keccak256(
            abi.encode(keccak256("TokenPermissions(address token,uint256 amount)"), token, amount)
        );
        bytes32 message = keccak256(
            abi.encode(
                keccak256(
                    "PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)TokenPermissions(address token,uint256 amount)"
                ),
                permitted,
                address(router),
                nonce,
                block.timestamp
            )
        );
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(key, keccak256(abi.encodePacked("\x19\x01", bytes32(domain), message)));
        return Router.Permit2(amount, nonce, block.timestamp, abi.encodePacked(r, s, v));
    }

    function signPermit(uint256 key, Token token, uint256 value) internal view returns (Router.Permit memory) {
        address owner = vm.addr(key);
        bytes32 message = keccak256(
            abi.encode(
                keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
                owner,
                address(router),
                value,
                token.nonces(owner),
                block.timestamp
            )
        );
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(key, keccak256(abi.encodePacked("\x19\x01", token.DOMAIN_SEPARATOR(), message)));
        return Router.Permit(value, block.timestamp, v, r, s);
    }
}
