// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../src/Transfer.sol";

/// @title KuruMargin
/// @notice Stands in for Kuru's margin account on the local chain: the account
/// of its makers and vaults, which its markets debit and credit. The zero
/// address is native.
contract KuruMargin {
    event Deposit(address owner, address token, uint256 amount);
    event Withdrawal(address owner, address token, uint256 amount);

    error NotRouter(address caller);
    error NotMarket(address caller);
    error NativeAssetMismatch();
    error InsufficientBalance();
    error NotPaid(address to, address token, uint256 amount);

    address public immutable router;
    address public immutable feeCollector;
    mapping(address => bool) public verifiedMarket;
    mapping(address owner => mapping(address token => uint256)) private held;

    modifier onlyMarket() {
        if (!verifiedMarket[msg.sender]) revert NotMarket(msg.sender);
        _;
    }

    constructor(address router_, address feeCollector_) {
        router = router_;
        feeCollector = feeCollector_;
    }

    receive() external payable {}

    function updateMarkets(address market) external {
        if (msg.sender != router) revert NotRouter(msg.sender);
        verifiedMarket[market] = true;
    }

    function getBalance(address owner, address token) external view returns (uint256) {
        return held[owner][token];
    }

    function deposit(address owner, address token, uint256 amount) external payable {
        if (msg.value != (token == address(0) ? amount : 0)) revert NativeAssetMismatch();
        held[owner][token] += amount;
        if (token != address(0) && !IERC20(token).transferFrom(msg.sender, address(this), amount)) {
            revert NotPaid(address(this), token, amount);
        }
        emit Deposit(owner, token, amount);
    }

    function withdraw(uint256 amount, address token) external {
        debit(msg.sender, token, amount);
        pay(msg.sender, token, amount);
        emit Withdrawal(msg.sender, token, amount);
    }

    function debitUser(address owner, address token, uint256 amount) external onlyMarket {
        debit(owner, token, amount);
    }

    function creditUser(address owner, address token, uint256 amount, bool useMargin) external onlyMarket returns (bool) {
        credit(owner, token, amount, useMargin);
        return true;
    }

    function creditUsersEncoded(bytes calldata credits) external onlyMarket returns (bool) {
        for (uint256 at; at < credits.length; at += 128) {
            (address owner, address token, uint256 amount, bool useMargin) =
                abi.decode(credits[at:at + 128], (address, address, uint256, bool));
            credit(owner, token, amount, useMargin);
        }
        return true;
    }

    function creditFee(address a, uint256 amountA, address b, uint256 amountB) external onlyMarket returns (bool) {
        held[feeCollector][a] += amountA;
        held[feeCollector][b] += amountB;
        return true;
    }

    function debit(address owner, address token, uint256 amount) private {
        if (held[owner][token] < amount) revert InsufficientBalance();
        held[owner][token] -= amount;
    }

    function credit(address owner, address token, uint256 amount, bool useMargin) private {
        if (useMargin) held[owner][token] += amount;
        else pay(owner, token, amount);
    }

    function pay(address to, address token, uint256 amount) private {
        bool ok;
        if (token == address(0)) (ok,) = to.call{value: amount}("");
        else ok = IERC20(token).transfer(to, amount);
        if (!ok) revert NotPaid(to, token, amount);
    }
}
