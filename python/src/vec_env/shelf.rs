//! Where the arrays of one name come from.

use numpy::{Element, ndarray::Dimension};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::exclusive::{Access, Block, BorrowedBlock, Carved, Exclusive, Flaw, Form, Sole};

/// So many arrays of a name are kept at most. A loop over steps holds the array of the last step during the next one, and often the one
/// before.
const KEPT: usize = 3;

/// Arrays of one name, which differ in their cells only.
pub(super) struct Shelf<T: Element, D: Dimension> {
    /// What the user knows them by.
    name: &'static str,
    form: Form<T, D>,
    stock: Stock<T, D>,
}

enum Stock<T, D> {
    /// Arrays given away for good, as far as anybody can tell: one is taken again once nobody holds it.
    Given { arrays: Vec<Sole<T, D>>, next: usize },
    /// One array, always the same.
    Live(Carved<T, D>),
}

impl<T: Element, D: Dimension> Shelf<T, D> {
    /// A new array every time; `access`: may others write into it?
    pub(super) fn given(py: Python<'_>, name: &'static str, shape: D, access: Access) -> Self {
        let stock = Stock::Given { arrays: Vec::new(), next: 0 };
        Self { name, form: Form::new(py, shape, access), stock }
    }

    /// The same array every time.
    pub(super) fn live(
        py: Python<'_>,
        name: &'static str,
        shape: D,
        access: Access,
        block: &mut Block,
    ) -> PyResult<Self> {
        let form = Form::new(py, shape, access);
        let stock = Stock::Live(block.carve(py, &form)?);
        Ok(Self { name, form, stock })
    }

    /// An array to write into, with whatever it held last. `block` is that of a live array.
    ///
    /// # Errors
    /// If it is a live one that has been made unfit.
    pub(super) fn lend<'a, 'py>(
        &'a mut self,
        py: Python<'py>,
        block: Option<&'a BorrowedBlock<'py>>,
    ) -> PyResult<Exclusive<'a, 'py, T, D>> {
        let Self { name, form, stock } = self;
        match stock {
            Stock::Given { arrays, next } => {
                let i = match arrays.iter().position(|array| array.is_free(py)) {
                    Some(i) => i,
                    None if arrays.len() < KEPT => {
                        arrays.push(Sole::new(py, form));
                        arrays.len() - 1
                    }
                    // All are held: each in turn is left to its holders, and makes room.
                    None => {
                        *next = (*next + 1) % KEPT;
                        *next
                    }
                };
                Ok(arrays[i].lend(py, form))
            }
            Stock::Live(array) => {
                let block = block.expect("a live array comes with its block");
                array.lend(block, form).map_err(|flaw| unfit(py, name, form, &flaw))
            }
        }
    }
}

fn unfit<T: Element, D: Dimension>(py: Python<'_>, name: &str, form: &Form<T, D>, flaw: &Flaw) -> PyErr {
    let problem = match flaw {
        Flaw::Dtype => {
            return PyTypeError::new_err(format!("{name}: its dtype is no longer {}", form.dtype.bind(py)));
        }
        Flaw::Shape => format!("its shape is no longer {:?}", form.shape.slice()),
        Flaw::NotContiguous => "it is no longer contiguous".into(),
        Flaw::ReadOnly => "it is not writeable".into(),
        Flaw::Unlocked => "it has been made writeable".into(),
        Flaw::Moved => "it no longer looks into the memory it was made with".into(),
    };
    PyValueError::new_err(format!("{name}: {problem}, and with copy=False every step writes into it"))
}
