// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct ModifyLiquidityParams {
    int24 tickLower;
    int24 tickUpper;
    int256 liquidityDelta;
    bytes32 salt;
}

struct SwapParams {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

interface IPoolManager {
    function unlock(bytes calldata data) external returns (bytes memory);
    function modifyLiquidity(PoolKey calldata key, ModifyLiquidityParams calldata params, bytes calldata data)
        external
        returns (int256 callerDelta, int256 feesAccrued);
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata data)
        external
        returns (int256 delta);
    function sync(address currency) external;
    function settle() external payable returns (uint256);
    function take(address currency, address to, uint256 amount) external;
}

interface IPayable {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// @title V4Actor
/// @notice Adds liquidity to V4 pools and swaps in them for its caller, with
/// tokens the caller approved and native it sent. For the local chain and the
/// tests.
contract V4Actor {
    error NotManager(address caller);
    error NotReturned();

    IPoolManager public immutable manager;
    address private transient payer;

    constructor(IPoolManager manager_) {
        manager = manager_;
    }

    receive() external payable {}

    function modify(PoolKey calldata key, ModifyLiquidityParams calldata params) external payable {
        run(key, abi.encodeCall(IPoolManager.modifyLiquidity, (key, params, "")));
    }

    /// @return delta what the caller got of both currencies, 128 bits each
    function swap(PoolKey calldata key, SwapParams calldata params) external payable returns (int256 delta) {
        return run(key, abi.encodeCall(IPoolManager.swap, (key, params, "")));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != address(manager)) revert NotManager(msg.sender);
        (PoolKey memory key, bytes memory call) = abi.decode(data, (PoolKey, bytes));
        (bool ok, bytes memory answer) = address(manager).call(call);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(answer, 32), mload(answer))
            }
        }
        int256 delta = int256(uint256(bytes32(answer)));
        close(key.currency0, int128(delta >> 128));
        close(key.currency1, int128(delta));
        return abi.encode(delta);
    }

    function run(PoolKey calldata key, bytes memory call) private returns (int256 delta) {
        payer = msg.sender;
        delta = abi.decode(manager.unlock(abi.encode(key, call)), (int256));
        (bool ok,) = msg.sender.call{value: address(this).balance}("");
        if (!ok) revert NotReturned();
    }

    /// @dev Pays what is owed of a currency, or takes what is due.
    function close(address currency, int256 delta) private {
        if (delta > 0) manager.take(currency, payer, uint256(delta));
        if (delta >= 0) return;
        if (currency == address(0)) {
            manager.settle{value: uint256(-delta)}();
        } else {
            manager.sync(currency);
            IPayable(currency).transferFrom(payer, address(manager), uint256(-delta));
            manager.settle();
        }
    }
}
