// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ModifyLiquidityParams, PoolKey, V4Actor, IPoolManager} from "../dev/V4Actor.sol";
import {Stage} from "./Stage.t.sol";

interface IManager {
    function initialize(PoolKey calldata key, uint160 sqrtPriceX96) external returns (int24 tick);
    function setProtocolFeeController(address controller) external;
    function sync(address currency) external;
}

/// @notice Steps in a pool of native and a token, with Uniswap's own manager.
contract ManagerTest is Stage {
    IManager private constant manager = IManager(MANAGER);

    function setUp() external {
        build();
        place(MANAGER, abi.encodePacked(artifact("UniswapV4PoolManager"), abi.encode(address(this))));
        manager.setProtocolFeeController(NATIVE); // the venue that was there used its slot
        PoolKey memory key = PoolKey(NATIVE, address(b), 500, 10, address(0));
        manager.initialize(key, 1 << 96);
        V4Actor actor = new V4Actor(IPoolManager(MANAGER));
        b.approve(address(actor), type(uint256).max);
        actor.modify{value: 1e24}(key, ModifyLiquidityParams(-100, 100, 1e24, 0));
    }

    /// @dev Anybody may sync a currency at any time, and the manager keeps it
    /// until somebody settles: a step must not pay for that.
    function test_syncedBefore() external {
        address[3] memory synced = [NATIVE, address(a), address(b)];
        for (uint256 i; i < 3; i++) {
            manager.sync(synced[i]);
            swaps(wrapped, address(b), 1e18);
            manager.sync(synced[i]);
            swaps(address(b), NATIVE, 0);
        }
    }

    /// @dev Swaps 1e18, of which all but the fee and little more comes out.
    function swaps(address tokenIn, address tokenOut, uint256 value) private {
        uint256 had = held(tokenOut, recipient);
        (bool ok, bytes memory answer) =
            address(router).call{value: value}(data(order(tokenIn, tokenOut, 1e18, one(5, v4(true)))));
        require(ok, string(answer));
        uint256 got = held(tokenOut, recipient) - had;
        require(got > 0.999e18 && got < 1e18, "paid something else");
        intact();
    }
}
