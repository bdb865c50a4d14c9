// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Token} from "./Token.sol";

interface IWrapped {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
}

/// @title NadFunCurve
/// @notice Replaces nad.fun's bonding curves on the local chain, by the published
/// interface of their first version. It is paid before it is
/// called. There are no penalties on early buys, and a curve that graduates
/// sends what it holds to the treasury instead of opening a pool.
contract NadFunCurve {
    event CurveCreate(
        address indexed creator,
        address indexed token,
        address indexed pool,
        string name,
        string symbol,
        string tokenURI,
        uint256 virtualMon,
        uint256 virtualToken,
        uint256 targetTokenAmount
    );
    event CurveBuy(address indexed sender, address indexed token, uint256 amountIn, uint256 amountOut);
    event CurveSell(address indexed sender, address indexed token, uint256 amountIn, uint256 amountOut);
    event CurveSync(
        address indexed token,
        uint256 realMonReserve,
        uint256 realTokenReserve,
        uint256 virtualMonReserve,
        uint256 virtualTokenReserve
    );
    event CurveTokenLocked(address indexed token);
    event CurveGraduate(address indexed token, address indexed pool);
    event SetConfig(SetConfigParams params);

    error Unauthorized();
    error InvalidToken();
    error InvalidAmountIn();
    error InsufficientAmount();
    error TargetAmountOverflow();
    error BondingCurveLocked();
    error BondingCurveNotLocked();
    error AlreadyGraduated();
    error InvalidFeeConfig();
    error InvalidAntiSnipingConfig();

    struct Config {
        uint256 virtualMonReserve;
        uint256 virtualTokenReserve;
        uint256 targetTokenAmount;
    }

    struct FeeConfig {
        uint256 deployFeeAmount;
        uint256 graduateFeeAmount;
        uint24 protocolFee; // millionths
    }

    struct AntiSnipingConfig {
        uint256 maxPenaltyBlocks;
        uint256[] penaltyBlocks;
        uint256[] penaltyRates;
    }

    struct SetConfigParams {
        Config config;
        FeeConfig feeConfig;
        AntiSnipingConfig antiSnipingConfig;
    }

    struct TokenParams {
        address creator;
        string name;
        string symbol;
        string tokenURI;
        bytes32 salt;
        uint8 actionId;
    }

    struct Curve {
        uint256 realMonReserve;
        uint256 realTokenReserve;
        uint256 virtualMonReserve;
        uint256 virtualTokenReserve;
        uint256 k;
        uint256 targetTokenAmount;
        uint256 initVirtualMonReserve;
        uint256 initVirtualTokenReserve;
    }

    uint256 private constant SUPPLY = 1_000_000_000e18;
    uint256 private constant MILLION = 1_000_000;

    address public immutable wMon;
    address public immutable foundationTreasury; // may also change the configuration
    Config public config = Config(90_000e18, 1_120_000_000e18, 200_000_000e18);
    FeeConfig public feeConfig = FeeConfig(0, 0, 10_000);
    uint256 public wMonReserve; // of all curves
    mapping(address token => Curve) public curves;
    mapping(address token => bool) public isLocked;
    mapping(address token => bool) public isGraduated;

    constructor(address wMon_, address treasury) {
        wMon = wMon_;
        foundationTreasury = treasury;
    }

    /// @notice Sets the terms of curves to come, and the fee of all.
    function setConfig(SetConfigParams calldata params) external {
        if (msg.sender != foundationTreasury) revert Unauthorized();
        if (params.feeConfig.protocolFee >= MILLION) revert InvalidFeeConfig();
        if (params.antiSnipingConfig.maxPenaltyBlocks != 0) revert InvalidAntiSnipingConfig();
        config = params.config;
        feeConfig = params.feeConfig;
        emit SetConfig(params);
    }

    function calculateFeeAmount(uint256 amount) public view returns (uint256) {
        return amount * feeConfig.protocolFee / MILLION;
    }

    function create(TokenParams calldata params) external returns (address token, address pool) {
        token = address(new Token{salt: params.salt}(params.name, params.symbol, 18, address(this), SUPPLY));
        Config memory c = config;
        uint256 k = c.virtualMonReserve * c.virtualTokenReserve;
        curves[token] = Curve(
            0,
            SUPPLY,
            c.virtualMonReserve,
            c.virtualTokenReserve,
            k,
            c.targetTokenAmount,
            c.virtualMonReserve,
            c.virtualTokenReserve
        );
        emit CurveCreate(
            params.creator,
            token,
            pool,
            params.name,
            params.symbol,
            params.tokenURI,
            c.virtualMonReserve,
            c.virtualTokenReserve,
            c.targetTokenAmount
        );
    }

    /// @notice Sells tokens for the wrapped native that came in, net of fees.
    function buy(address to, address token) external returns (uint256 amountOut) {
        Curve storage c = open(token);
        uint256 amountIn = IWrapped(wMon).balanceOf(address(this)) - wMonReserve;
        if (amountIn == 0) revert InvalidAmountIn();
        uint256 mon = c.virtualMonReserve + amountIn;
        amountOut = c.virtualTokenReserve - ceilDiv(c.k, mon);
        if (amountOut == 0) revert InsufficientAmount();
        uint256 target = c.targetTokenAmount;
        if (c.realTokenReserve < target + amountOut) revert TargetAmountOverflow();

        wMonReserve += amountIn;
        c.realMonReserve += amountIn;
        c.realTokenReserve -= amountOut;
        c.virtualMonReserve = mon;
        c.virtualTokenReserve -= amountOut;
        emit CurveBuy(msg.sender, token, amountIn, amountOut);
        sync(token, c);
        if (c.realTokenReserve == target) {
            isLocked[token] = true;
            emit CurveTokenLocked(token);
        }
        Token(token).transfer(to, amountOut);
    }

    /// @notice Buys the tokens that came in, before fees.
    function sell(address to, address token) external returns (uint256 amountOut) {
        Curve storage c = open(token);
        uint256 amountIn = Token(token).balanceOf(address(this)) - c.realTokenReserve;
        if (amountIn == 0) revert InvalidAmountIn();
        uint256 tokens = c.virtualTokenReserve + amountIn;
        amountOut = c.virtualMonReserve - ceilDiv(c.k, tokens);
        if (amountOut == 0) revert InsufficientAmount();

        wMonReserve -= amountOut;
        c.realMonReserve -= amountOut;
        c.realTokenReserve += amountIn;
        c.virtualMonReserve -= amountOut;
        c.virtualTokenReserve = tokens;
        emit CurveSell(msg.sender, token, amountIn, amountOut);
        sync(token, c);
        IWrapped(wMon).transfer(to, amountOut);
    }

    function graduate(address token) external {
        if (!isLocked[token]) revert BondingCurveNotLocked();
        if (isGraduated[token]) revert AlreadyGraduated();
        isGraduated[token] = true;
        Curve storage c = curves[token];
        (uint256 mon, uint256 tokens) = (c.realMonReserve, c.realTokenReserve);
        (c.realMonReserve, c.realTokenReserve) = (0, 0);
        wMonReserve -= mon;
        emit CurveGraduate(token, address(0));
        IWrapped(wMon).transfer(foundationTreasury, mon);
        Token(token).transfer(foundationTreasury, tokens);
    }

    function open(address token) private view returns (Curve storage c) {
        c = curves[token];
        if (c.k == 0) revert InvalidToken();
        if (isLocked[token]) revert BondingCurveLocked();
    }

    function sync(address token, Curve storage c) private {
        emit CurveSync(
            token, c.realMonReserve, c.realTokenReserve, c.virtualMonReserve, c.virtualTokenReserve
        );
    }

    function ceilDiv(uint256 a, uint256 b) private pure returns (uint256) {
        return a / b + (a % b == 0 ? 0 : 1);
    }
}
