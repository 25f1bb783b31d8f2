//! What breaks those who rely on code or on a contract, by rules that have names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

crate::vocabulary! {
    /// Why a change breaks others; worst first.
    pub enum Rule {
        RemovedRoute = "removed-route",
        // A message, an rpc, a table, a column … is gone.
        RemovedContract = "removed-contract",
        RenamedContract = "renamed-contract",
        // A field that others still send or read.
        RemovedField = "removed-field",
        ChangedFieldNumber = "changed-field-number",
        // What old data means by a number is something else now.
        ReusedFieldNumber = "reused-field-number",
        // Values that were fine are not any more, or values come that never came.
        ChangedType = "changed-type",
        // Of an enum.
        RemovedValue = "removed-value",
        // Who leaves it out is refused: a parameter, a property, a column.
        RequiredInput = "required-input",
        RemovedParameter = "removed-parameter",
        RemovedResponse = "removed-response",
        RemovedPublicSymbol = "removed-public-symbol",
        ChangedParameters = "changed-parameters",
        RenamedPublicSymbol = "renamed-public-symbol",
        MovedPublicSymbol = "moved-public-symbol",
        ReducedVisibility = "reduced-visibility",
    }
}

impl Rule {
    /// Whether it is about what files of contracts say, and nothing else.
    pub const fn is_of_contract(self) -> bool {
        matches!(
            self,
            Rule::RemovedContract
                | Rule::RenamedContract
                | Rule::RemovedField
                | Rule::ChangedFieldNumber
                | Rule::ReusedFieldNumber
                | Rule::ChangedType
                | Rule::RemovedValue
                | Rule::RequiredInput
                | Rule::RemovedParameter
                | Rule::RemovedResponse
        )
    }
}

/// What a new version of a contract does not keep of the old one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContractBreach {
    pub rule: Rule,
    /// As the symbol was called: `Cart.user_id`.
    pub symbol: String,
    /// Where it was; of what is new, where that is.
    pub old_path: String,
    pub old_line: u32,
    /// Where to look: at what is there now, or was when it is gone.
    pub path: String,
    pub line: u32,
    pub message: String,
}
