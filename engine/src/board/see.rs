//! Static exchange evaluation.

use super::Board;
