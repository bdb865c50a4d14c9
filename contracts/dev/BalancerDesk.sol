// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../src/Transfer.sol";

interface IVault {
    struct TokenConfig {
        address token;
        uint8 kind;
        address rateProvider;
        bool paysYieldFees;
    }

    struct Roles {
        address pauseManager;
        address swapFeeManager;
        address poolCreator;
    }

    struct Liquidity {
        bool disableUnbalanced;
        bool enableAddCustom;
        bool enableRemoveCustom;
        bool enableDonation;
    }

    struct Swap {
        uint8 kind;
        address pool;
        address tokenIn;
        address tokenOut;
        uint256 amount;
        uint256 limit;
        bytes data;
    }

    struct Add {
        address pool;
        address to;
        uint256[] most;
        uint256 shares;
        uint8 kind;
        bytes data;
    }

    struct Remove {
        address pool;
        address from;
        uint256 shares;
        uint256[] least;
        uint8 kind;
        bytes data;
    }

    function unlock(bytes calldata data) external returns (bytes memory);
    function settle(address token, uint256 amount) external returns (uint256);
    function sendTo(address token, address to, uint256 amount) external;
    function swap(Swap calldata s) external returns (uint256, uint256, uint256);
    function addLiquidity(Add calldata a) external returns (uint256[] memory, uint256, bytes memory);
    function removeLiquidity(Remove calldata r) external returns (uint256, uint256[] memory, bytes memory);
    function initialize(
        address pool,
        address to,
        address[] calldata tokens,
        uint256[] calldata amounts,
        uint256 least,
        bytes calldata data
    ) external returns (uint256);
    function registerPool(
        address pool,
        TokenConfig[] calldata tokens,
        uint256 fee,
        uint32 pauseWindowEnd,
        bool protocolFeeExempt,
        Roles calldata roles,
        address hooks,
        Liquidity calldata liquidity
    ) external;
}

interface IDecimals {
    function decimals() external view returns (uint8);
}

/// @title BalancerDesk
/// @notice Replaces on the local chain what surrounds the vault on mainnet: the
/// factories of pools, the routers, and the authorizer, which allows the owner
/// everything. Shares of pools stay here; tokens are paid by and to the caller.
contract BalancerDesk {
    event Decimals(address indexed token, uint8 decimals);

    IVault private immutable vault;
    address private immutable owner;

    constructor(address vault_, address owner_) {
        vault = IVault(vault_);
        owner = owner_;
    }

    modifier fromVault() {
        require(msg.sender == address(vault), "not the vault");
        _;
    }

    function canPerform(bytes32, address who, address) external view returns (bool) {
        return who == owner;
    }

    /// @notice Emits a value as a log: the deployer reads results of transactions by logs.
    function look(address token) external {
        emit Decimals(token, IDecimals(token).decimals());
    }

    /// @notice Makes a pool of the creation code and fills it.
    function create(bytes memory init, IVault.TokenConfig[] calldata tokens, uint256 fee, uint256[] calldata amounts)
        external
        returns (address pool)
    {
        assembly ("memory-safe") {
            pool := create(0, add(init, 32), mload(init))
        }
        require(pool != address(0), "no pool");
        IVault.Roles memory roles = IVault.Roles(owner, owner, owner);
        IVault.Liquidity memory liquidity;
        uint32 end = uint32(block.timestamp + 365 days);
        vault.registerPool(pool, tokens, fee, end, false, roles, address(0), liquidity);
        address[] memory list = new address[](tokens.length);
        for (uint256 i; i < list.length; i++) {
            list[i] = tokens[i].token;
        }
        vault.unlock(abi.encodeCall(this.onCreate, (pool, list, amounts, msg.sender)));
    }

    function add(address pool, address[] calldata tokens, uint256[] calldata most, uint256 shares, uint8 kind) external {
        vault.unlock(abi.encodeCall(this.onAdd, (pool, tokens, most, shares, kind, msg.sender)));
    }

    function remove(address pool, address[] calldata tokens, uint256[] calldata least, uint256 shares, uint8 kind)
        external
    {
        vault.unlock(abi.encodeCall(this.onRemove, (pool, tokens, least, shares, kind, msg.sender)));
    }

    function swap(address pool, address tokenIn, address tokenOut, uint256 amount) external returns (uint256) {
        bytes memory paid = vault.unlock(abi.encodeCall(this.onSwap, (pool, tokenIn, tokenOut, amount, msg.sender)));
        return abi.decode(paid, (uint256));
    }

    function onCreate(address pool, address[] calldata tokens, uint256[] calldata amounts, address payer)
        external
        fromVault
    {
        vault.initialize(pool, address(this), tokens, amounts, 0, "");
        for (uint256 i; i < tokens.length; i++) {
            pay(tokens[i], payer, amounts[i]);
        }
    }

    function onAdd(
        address pool,
        address[] calldata tokens,
        uint256[] calldata most,
        uint256 shares,
        uint8 kind,
        address payer
    ) external fromVault {
        (uint256[] memory amounts,,) = vault.addLiquidity(IVault.Add(pool, address(this), most, shares, kind, ""));
        for (uint256 i; i < tokens.length; i++) {
            pay(tokens[i], payer, amounts[i]);
        }
    }

    function onRemove(
        address pool,
        address[] calldata tokens,
        uint256[] calldata least,
        uint256 shares,
        uint8 kind,
        address to
    ) external fromVault {
        (, uint256[] memory amounts,) = vault.removeLiquidity(IVault.Remove(pool, address(this), shares, least, kind, ""));
        for (uint256 i; i < tokens.length; i++) {
            vault.sendTo(tokens[i], to, amounts[i]);
        }
    }

    function onSwap(address pool, address tokenIn, address tokenOut, uint256 amount, address who)
        external
        fromVault
        returns (uint256 paid)
    {
        (,, paid) = vault.swap(IVault.Swap(0, pool, tokenIn, tokenOut, amount, 0, ""));
        pay(tokenIn, who, amount);
        vault.sendTo(tokenOut, who, paid);
    }

    function pay(address token, address from, uint256 amount) private {
        IERC20(token).transferFrom(from, address(vault), amount);
        vault.settle(token, amount);
    }
}
