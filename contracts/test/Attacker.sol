// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

struct Key {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct Change {
    int24 lower;
    int24 upper;
    int256 liquidity;
    bytes32 salt;
}

interface IManager {
    function initialize(Key calldata key, uint160 price) external returns (int24 tick);
    function unlock(bytes calldata data) external returns (bytes memory);
    function modifyLiquidity(Key calldata key, Change calldata change, bytes calldata data)
        external
        returns (int256 callerDelta, int256 feesAccrued);
    function sync(address currency) external;
    function settle() external payable returns (uint256);
    function take(address currency, address to, uint256 amount) external;
}

interface IConcentrated {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function mint(address owner, int24 lower, int24 upper, uint128 liquidity, bytes calldata data) external;
    function burn(int24 lower, int24 upper, uint128 liquidity) external;
    function collect(address to, int24 lower, int24 upper, uint128 amount0, uint128 amount1) external;
}

interface IToken {
    function transfer(address to, uint256 amount) external;
}

/// @notice Makes many pools and many positions in one transaction, with the money
/// that it holds. A ladder is n positions of equal width, step ticks apart; liquidity
/// below zero takes them out again.
contract Attacker {
    IManager private immutable manager;

    constructor(IManager manager_) {
        manager = manager_;
    }

    receive() external payable {}

    /// @notice Creates n pools of the manager that differ in their fee, the first of
    /// which is that of the key.
    function createByFee(Key memory key, uint256 n, uint160 price) external {
        for (uint256 i; i < n; i++) {
            manager.initialize(key, price);
            key.fee++;
        }
    }

    /// @notice As createByFee, with one position in each pool.
    function createFilled(Key memory key, uint256 n, uint160 price, int24 lower, int24 upper, int256 liquidity) external {
        for (uint256 i; i < n; i++) {
            manager.initialize(key, price);
            manager.unlock(abi.encode(key, lower, upper - lower, int24(0), 1, liquidity));
            key.fee++;
        }
    }

    /// @notice Creates n pools of the manager between accounts that have no code.
    function createCodeless(uint256 seed, uint256 n, uint160 price) external {
        for (uint256 i; i < n; i++) {
            address a = address(uint160(uint256(keccak256(abi.encode(seed, i, 0)))));
            address b = address(uint160(uint256(keccak256(abi.encode(seed, i, 1)))));
            manager.initialize(a < b ? Key(a, b, 3000, 60, address(0)) : Key(b, a, 3000, 60, address(0)), price);
        }
    }

    /// @notice A ladder in a pool of the manager.
    function ladder(Key calldata key, int24 lower, int24 width, int24 step, uint256 n, int256 liquidity) external {
        manager.unlock(abi.encode(key, lower, width, step, n, liquidity));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (Key memory key, int24 lower, int24 width, int24 step, uint256 n, int256 liquidity) =
            abi.decode(data, (Key, int24, int24, int24, uint256, int256));
        int256 sum0;
        int256 sum1;
        for (uint256 i; i < n; i++) {
            (int256 delta,) = manager.modifyLiquidity(key, Change(lower, lower + width, liquidity, 0), "");
            sum0 += delta >> 128;
            sum1 += int128(delta);
            lower += step;
        }
        close(key.currency0, sum0);
        close(key.currency1, sum1);
        return "";
    }

    /// @notice A ladder in a pool with a contract of its own.
    function ladderIn(IConcentrated pool, int24 lower, int24 width, int24 step, uint256 n, int256 liquidity) external {
        for (uint256 i; i < n; i++) {
            if (liquidity > 0) {
                pool.mint(address(this), lower, lower + width, uint128(uint256(liquidity)), "");
            } else {
                pool.burn(lower, lower + width, uint128(uint256(-liquidity)));
                pool.collect(address(this), lower, lower + width, type(uint128).max, type(uint128).max);
            }
            lower += step;
        }
    }

    /// @dev The callback of mint, whatever its name: it begins with the two amounts.
    fallback() external {
        (uint256 amount0, uint256 amount1) = abi.decode(msg.data[4:], (uint256, uint256));
        if (amount0 > 0) IToken(IConcentrated(msg.sender).token0()).transfer(msg.sender, amount0);
        if (amount1 > 0) IToken(IConcentrated(msg.sender).token1()).transfer(msg.sender, amount1);
    }

    /// @dev Pays what is owed of a currency, or takes what is due.
    function close(address currency, int256 delta) private {
        if (delta > 0) manager.take(currency, address(this), uint256(delta));
        if (delta >= 0) return;
        manager.sync(currency);
        if (currency == address(0)) {
            manager.settle{value: uint256(-delta)}();
        } else {
            IToken(currency).transfer(address(manager), uint256(-delta));
            manager.settle();
        }
    }
}
