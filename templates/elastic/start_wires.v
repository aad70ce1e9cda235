

    // the tree of the boards: starts for children, the status for the parent
    wire is_host;
    wire {{ check.ports.range }}parent;
    wire {{ check.ports.range }}children;
    wire {{ check.ports.range }}starts_valid;
    wire {{ check.ports.range }}starts_ready;
    wire {{ check.ports.range }}refused;
    wire {{ check.ports.range }}owed;
    wire {{ common.status.range }}status;