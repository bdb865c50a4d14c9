// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Executor} from "../src/Executor.sol";
import {Router} from "../src/Router.sol";
import {IERC20} from "../src/Transfer.sol";
import {BalancerV3} from "../src/kinds/BalancerV3.sol";
import {UniswapV4} from "../src/kinds/UniswapV4.sol";

/// How a hostile actor behaves.
enum Mode {
    Honest,
    PaysNothing,
    PaysLess,
    AsksMore, // than the step has
    AsksTwice,
    AsksNever,
    Reenters, // and goes on as if nothing was
    Insists, // re-enters, and reverts with the refusal
    BurnsGas,
    AnswersNothing
}

/// @notice A venue of every kind that trades one for one, honestly or not.
contract Venue {
    address private constant VAULT = 0xbA1333333333a1BA1108E8412f11850A5C319bA9;

    Router private immutable router;
    Executor private immutable executor;
    address private immutable wrapped;

    Mode public mode;
    address private tokenIn;
    address private tokenOut;
    uint256 private unit = 1; // raw units to what an order book counts in
    bool private finer; // or the other way round
    bool private native; // paid out
    bool public entered; // a door that had to be shut was open

    constructor(Router router_, Executor executor_, address wrapped_) {
        router = router_;
        executor = executor_;
        wrapped = wrapped_;
    }

    receive() external payable {}

    function set(Mode mode_, address in_, address out) external {
        (mode, tokenIn, tokenOut, unit, finer, native) = (mode_, in_, out, 1, false, false);
    }

    function book(uint256 unit_, bool finer_, bool native_) external {
        (unit, finer, native) = (unit_, finer_, native_);
    }

    // Uniswap V2.

    function getReserves() external pure returns (uint112, uint112, uint32) {
        return (1e30, 1e30, 0);
    }

    function swap(uint256 out0, uint256 out1, address to, bytes calldata) external {
        misbehave();
        pay(to, out0 + out1);
    }

    // Uniswap V3.

    function swap(address to, bool zeroForOne, int256 amount, uint160, bytes calldata)
        external
        returns (int256, int256)
    {
        misbehave();
        pay(to, uint256(amount));
        int256 asked = mode == Mode.AsksMore ? amount + 1 : amount;
        if (mode != Mode.AsksNever) ask(zeroForOne, asked);
        if (mode == Mode.AsksTwice) ask(zeroForOne, asked);
        return zeroForOne ? (amount, -amount) : (-amount, amount);
    }

    function ask(bool zeroForOne, int256 amount) private {
        (int256 amount0, int256 amount1) = zeroForOne ? (amount, -amount) : (-amount, amount);
        forward(
            address(executor), abi.encodeWithSignature("anyCallback(int256,int256,bytes)", amount0, amount1, bytes(""))
        );
    }

    // The singletons.

    function unlock(bytes calldata what) external returns (bytes memory answer) {
        misbehave();
        if (address(this) == VAULT) {
            answer = forward(msg.sender, what);
            if (mode == Mode.AsksTwice) forward(msg.sender, what);
            return answer;
        }
        bytes memory call_ = abi.encodeCall(UniswapV4.unlockCallback, (what));
        answer = abi.decode(forward(msg.sender, call_), (bytes));
        if (mode == Mode.AsksTwice) forward(msg.sender, call_);
    }

    struct PoolKey {
        address currency0;
        address currency1;
        uint24 fee;
        int24 tickSpacing;
        address hooks;
    }

    struct SwapParams {
        bool zeroForOne;
        int256 amountSpecified;
        uint160 sqrtPriceLimitX96;
    }

    function swap(PoolKey calldata, SwapParams calldata p, bytes calldata) external view returns (int256) {
        int256 amount = p.amountSpecified;
        int256 out = mode == Mode.PaysNothing ? int256(0) : -amount;
        if (mode == Mode.AsksMore) amount -= 1;
        (int256 d0, int256 d1) = p.zeroForOne ? (amount, out) : (out, amount);
        return d0 << 128 | int256(uint256(uint128(int128(d1))));
    }

    function sync(address) external {}

    function settle() external payable returns (uint256) {}

    function take(address currency, address to, uint256 amount) external {
        give(currency, to, amount);
    }

    struct Swap {
        uint8 kind;
        address pool;
        address tokenIn;
        address tokenOut;
        uint256 amount;
        uint256 limit;
        bytes data;
    }

    function settle(address, uint256) external returns (uint256) {}

    function swap(Swap calldata s) external view returns (uint256, uint256, uint256) {
        return (s.amount, s.amount, mode == Mode.PaysNothing ? 0 : s.amount);
    }

    function sendTo(address token, address to, uint256 amount) external {
        give(token, to, amount);
    }

    // Order books and the curve.

    function placeAndExecuteMarketBuy(uint96 lots, uint256, bool, bool) external payable returns (uint256) {
        return trade(lots);
    }

    function placeAndExecuteMarketSell(uint96 lots, uint256, bool, bool) external payable returns (uint256) {
        return trade(lots);
    }

    function placeOrder(bool, uint128 units, uint72, uint128, bool, bool, bool, uint256)
        external
        payable
        returns (uint64, uint128, uint128, uint128)
    {
        trade(units);
        return (0, units, units, 0);
    }

    function placeMarketOrderWithTargetValue(bool, uint128 units, uint72, uint128, bool, uint256)
        external
        payable
        returns (uint128, uint128, uint128)
    {
        trade(units);
        return (units, units, 0);
    }

    struct Buy {
        uint256 amountOutMin;
        address token;
        address to;
        uint256 deadline;
    }

    struct Sell {
        uint256 amountIn;
        uint256 amountOutMin;
        address token;
        address to;
        uint256 deadline;
    }

    function buy(Buy calldata p) external payable returns (uint256) {
        misbehave();
        pay(p.to, msg.value);
        return msg.value;
    }

    function sell(Sell calldata p) external returns (uint256) {
        return trade(p.amountIn);
    }

    function trade(uint256 units) private returns (uint256) {
        misbehave();
        uint256 amount = finer ? units / unit : units * unit;
        if (msg.value == 0) {
            if (mode == Mode.AsksMore) amount += 1;
            if (mode != Mode.AsksNever) draw(amount);
            if (mode == Mode.AsksTwice) draw(amount);
        }
        pay(msg.sender, amount);
        return amount;
    }

    function draw(uint256 amount) private {
        forward(tokenIn, abi.encodeCall(IERC20.transferFrom, (msg.sender, address(this), amount)));
    }

    // Manners.

    function pay(address to, uint256 amount) private {
        if (mode == Mode.PaysNothing) return;
        if (mode == Mode.PaysLess) amount /= 2;
        give(native ? address(0) : tokenOut, to, amount);
    }

    function give(address token, address to, uint256 amount) private {
        if (token == address(0)) {
            (bool ok,) = to.call{value: amount}("");
            require(ok);
        } else {
            IERC20(token).transfer(to, amount);
        }
    }

    function misbehave() private {
        if (mode == Mode.Reenters || mode == Mode.Insists) {
            for (uint256 i; i < doors().length; i++) knock(doors()[i].to, doors()[i].data);
        }
        if (mode == Mode.BurnsGas) {
            while (true) {}
        }
        if (mode == Mode.AnswersNothing) {
            assembly {
                return(0, 0)
            }
        }
    }

    struct Door {
        address to;
        bytes data;
    }

    /// @dev All that must be shut to a venue while it is being called, but for
    /// the callback it is due.
    function doors() private view returns (Door[4] memory d) {
        d[0] = Door(address(router), abi.encodeCall(Router.pull, (address(this), 1)));
        d[1] = Door(
            address(router),
            abi.encodeCall(
                Router.swap, (tokenIn, 1, tokenOut, 1, address(this), block.timestamp, address(executor), hex"00")
            )
        );
        d[2] = Door(
            address(executor),
            abi.encodeCall(Executor.execute, (address(this), tokenIn, 1, tokenOut, address(this), hex"00"))
        );
        d[3] = Door(
            address(executor),
            abi.encodeCall(BalancerV3.balancerUnlocked, (address(this), tokenIn, tokenOut, 1, address(this)))
        );
    }

    function knock(address at, bytes memory what) private {
        if (address(this) == VAULT && bytes4(what) == BalancerV3.balancerUnlocked.selector) return;
        (bool ok, bytes memory why) = at.call(what);
        if (ok) entered = true;
        else if (mode == Mode.Insists) fail(why);
    }

    function forward(address at, bytes memory what) private returns (bytes memory answer) {
        bool ok;
        (ok, answer) = at.call(what);
        if (!ok) fail(answer);
    }

    function fail(bytes memory why) private pure {
        assembly {
            revert(add(why, 32), mload(why))
        }
    }
}
