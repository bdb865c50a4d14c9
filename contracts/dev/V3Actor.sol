// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IV3Pool {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function mint(address owner, int24 lower, int24 upper, uint128 liquidity, bytes calldata data)
        external
        returns (uint256 amount0, uint256 amount1);
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1);
}

interface IPayable {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// @title V3Actor
/// @notice Adds liquidity to V3 pools and swaps in them for its caller, with
/// tokens the caller approved. For the local chain and the tests.
contract V3Actor {
    error NotPool(address caller);

    address private transient pool;
    address private transient payer;

    function mint(IV3Pool pool_, int24 lower, int24 upper, uint128 liquidity) external {
        (pool, payer) = (address(pool_), msg.sender);
        pool_.mint(msg.sender, lower, upper, liquidity, "");
        pool = address(0);
    }

    function swap(IV3Pool pool_, bool zeroForOne, int256 amount, uint160 limit)
        external
        returns (int256 amount0, int256 amount1)
    {
        (pool, payer) = (address(pool_), msg.sender);
        (amount0, amount1) = pool_.swap(msg.sender, zeroForOne, amount, limit, "");
        pool = address(0);
    }

    /// @dev Every fork has its own names of callbacks; all begin with the two amounts,
    /// of which those above zero are owed.
    fallback() external {
        if (msg.sender != pool) revert NotPool(msg.sender);
        (int256 amount0, int256 amount1) = abi.decode(msg.data[4:], (int256, int256));
        if (amount0 > 0) IPayable(IV3Pool(pool).token0()).transferFrom(payer, pool, uint256(amount0));
        if (amount1 > 0) IPayable(IV3Pool(pool).token1()).transferFrom(payer, pool, uint256(amount1));
    }
}
