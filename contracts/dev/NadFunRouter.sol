// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface ICurve {
    function buy(address to, address token) external returns (uint256 amountOut);
    function sell(address to, address token) external returns (uint256 amountOut);
    function calculateFeeAmount(uint256 amount) external view returns (uint256);
    function foundationTreasury() external view returns (address);
}

interface IMon {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// @title NadFunRouter
/// @notice Replaces nad.fun's router on the local chain, by its published
/// interface: it takes and pays native currency. The fee is
/// taken from what a buyer pays and from what a seller gets, and goes to the treasury.
contract NadFunRouter {
    error ExpiredDeadLine();
    error InvalidAmountIn();
    error InvalidAmountOut();
    error InsufficientOutput();
    error Unauthorized();

    struct BuyParams {
        uint256 amountOutMin;
        address token;
        address to;
        uint256 deadline;
    }

    struct SellParams {
        uint256 amountIn;
        uint256 amountOutMin;
        address token;
        address to;
        uint256 deadline;
    }

    ICurve private immutable curve;
    IMon private immutable wMon;

    modifier ensure(uint256 deadline) {
        if (block.timestamp > deadline) revert ExpiredDeadLine();
        _;
    }

    constructor(address curve_, address wMon_) {
        curve = ICurve(curve_);
        wMon = IMon(wMon_);
    }

    receive() external payable {
        if (msg.sender != address(wMon)) revert Unauthorized();
    }

    function buy(BuyParams calldata p) external payable ensure(p.deadline) returns (uint256 amountOut) {
        if (msg.value == 0) revert InvalidAmountIn();
        uint256 fee = curve.calculateFeeAmount(msg.value);
        wMon.deposit{value: msg.value}();
        wMon.transfer(curve.foundationTreasury(), fee);
        wMon.transfer(address(curve), msg.value - fee);
        amountOut = curve.buy(p.to, p.token);
        if (amountOut < p.amountOutMin) revert InsufficientOutput();
    }

    function sell(SellParams calldata p) external ensure(p.deadline) returns (uint256 amountOut) {
        if (p.amountIn == 0) revert InvalidAmountIn();
        IMon(p.token).transferFrom(msg.sender, address(curve), p.amountIn);
        amountOut = curve.sell(address(this), p.token);
        uint256 fee = curve.calculateFeeAmount(amountOut);
        amountOut -= fee;
        if (amountOut < p.amountOutMin) revert InsufficientOutput();
        wMon.transfer(curve.foundationTreasury(), fee);
        wMon.withdraw(amountOut);
        (bool ok,) = p.to.call{value: amountOut}("");
        if (!ok) revert InvalidAmountOut();
    }
}
