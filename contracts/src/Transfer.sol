// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IERC20 {
    function approve(address spender, uint256 amount) external returns (bool);
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

interface IWrappedNative {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

/// @notice Moves ERC-20s of any manners: a token may answer true or nothing;
/// false, a revert, or no code at its address is a failure.
library Transfer {
    error TransferFailed(address token, bytes reason);

    function send(address token, address to, uint256 amount) internal {
        check(token, abi.encodeCall(IERC20.transfer, (to, amount)));
    }

    function sendFrom(address token, address from, address to, uint256 amount) internal {
        check(token, abi.encodeCall(IERC20.transferFrom, (from, to, amount)));
    }

    function allow(address token, address spender, uint256 amount) internal {
        check(token, abi.encodeCall(IERC20.approve, (spender, amount)));
    }

    function check(address token, bytes memory data) private {
        (bool ok, bytes memory answer) = token.call(data);
        if (ok) ok = answer.length == 0 ? token.code.length != 0 : uint256(bytes32(answer)) == 1;
        if (!ok) revert TransferFailed(token, answer);
    }
}
