// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Kind} from "../Kind.sol";

interface IPair {
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 time);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

/// @notice A constant-product pair, paid before it is called.
///
///     body  pair:20 feeBps:2
abstract contract V2 is Kind {
    uint256 internal constant KIND_V2 = 1;
    uint256 internal constant V2_BODY = 22;

    function swapV2(Step memory s, bytes calldata body) internal returns (uint256 made) {
        IPair pair = IPair(address(bytes20(body)));
        uint256 feeBps = uint16(bytes2(body[20:22]));
        pay(s, address(pair));
        (uint256 reserveIn, uint256 reserveOut,) = pair.getReserves();
        bool zeroForOne = s.tokenIn < s.tokenOut;
        if (!zeroForOne) (reserveIn, reserveOut) = (reserveOut, reserveIn);
        uint256 kept = s.amount * (10_000 - feeBps);
        made = kept * reserveOut / (reserveIn * 10_000 + kept);
        if (made == 0) revert ZeroAmount();
        if (zeroForOne) pair.swap(0, made, s.to, "");
        else pair.swap(made, 0, s.to, "");
    }
}
