// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title PancakeV3Deployer
/// @notice Creates the pools of a PancakeSwap V3 factory, which does not do so
/// itself. The published package lacks it; a pool reads its parameters here.
contract PancakeV3Deployer {
    error NotFactory(address caller);
    error NotCreated();

    struct Parameters {
        address factory;
        address token0;
        address token1;
        uint24 fee;
        int24 tickSpacing;
    }

    address public immutable factory;
    Parameters public parameters;
    bytes private poolCode;

    constructor(address factory_, bytes memory poolCode_) {
        factory = factory_;
        poolCode = poolCode_;
    }

    function deploy(address factory_, address token0, address token1, uint24 fee, int24 tickSpacing)
        external
        returns (address pool)
    {
        if (msg.sender != factory) revert NotFactory(msg.sender);
        parameters = Parameters(factory_, token0, token1, fee, tickSpacing);
        bytes memory code = poolCode;
        bytes32 salt = keccak256(abi.encode(token0, token1, fee));
        assembly ("memory-safe") {
            pool := create2(0, add(code, 32), mload(code), salt)
        }
        if (pool == address(0)) revert NotCreated();
        delete parameters;
    }
}
