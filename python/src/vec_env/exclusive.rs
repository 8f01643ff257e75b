//! Numpy arrays that nobody else reads or writes meanwhile: all the unsafe code of this crate.
//!
//! numpy lets everybody who holds an array write into it, lock it, and set its shape, strides and dtype. So before every use an array
//! is looked at anew ([`Form::check`]), and somebody else's hands are kept off in one of two ways:
//!
//! - A [`Sole`] array owns its cells and is lent only while nobody else holds it. Views, memoryviews, tensors and rust-numpy's borrows
//!   all hold the array that they look into.
//! - A [`Carved`] array is a view into a [`Block`], whose cells nobody but us can borrow while we have borrowed the block itself.
//!   One borrow of rust-numpy's for a dozen arrays: each costs more than what a small batch has to write.

use std::marker::PhantomData;

use numpy::npyffi::{
    _PyArray_GET_ITEM_DATA, NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_OWNDATA,
    NPY_ARRAY_WRITEABLE, PyArrayObject_fields,
};
use numpy::{
    BorrowError, Element, PyArray, PyArray1, PyArrayDescr, PyArrayMethods, PyReadwriteArray1,
    PyUntypedArrayMethods, dtype, ndarray::Dimension,
};
use pyo3::types::{PySlice, PyTuple};
use pyo3::{ffi, prelude::*};

/// Why an array cannot be written into.
#[derive(Debug)]
pub(super) enum Flaw {
    /// Its cells are of another type.
    Dtype,
    /// It has another shape.
    Shape,
    /// Its cells do not stand side by side.
    NotContiguous,
    /// Its `writeable` flag is off.
    ReadOnly,
    /// Its `writeable` flag is on, and should not be.
    Unlocked,
    /// Its cells are no longer where they were.
    Moved,
}

/// What others may do with an array.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// What an array must be to be written into: cells `T`, one after the other.
pub(super) struct Form<T, D> {
    pub(super) shape: D,
    pub(super) dtype: Py<PyArrayDescr>,
    access: Access,
    cell: PhantomData<T>,
}

/// A copy of what an array is at the moment.
fn header<T, D>(array: &Bound<'_, PyArray<T, D>>) -> PyArrayObject_fields {
    // SAFETY: it is an array, and we are attached.
    unsafe { _PyArray_GET_ITEM_DATA(array.as_array_ptr()).read() }
}

impl<T: Element, D: Dimension> Form<T, D> {
    pub(super) fn new(py: Python<'_>, shape: D, access: Access) -> Self {
        Self { shape, dtype: dtype::<T>(py).unbind(), access, cell: PhantomData }
    }

    /// Keeps others from writing into a new array, if they may not.
    fn lock(&self, array: &Bound<'_, PyArray<T, D>>) {
        if self.access == Access::Read {
            // SAFETY: it is an array, and we are attached; without the flag numpy and rust-numpy only do less.
            unsafe { (*_PyArray_GET_ITEM_DATA(array.as_array_ptr())).flags &= !NPY_ARRAY_WRITEABLE }
        }
    }

    fn check(&self, array: &Bound<'_, PyArray<T, D>>, header: &PyArrayObject_fields) -> Result<(), Flaw> {
        // `cast` asks numpy whether the types are equivalent; mostly they are one and the same.
        if header.descr.cast() != self.dtype.as_ptr() && array.as_any().cast::<PyArray<T, D>>().is_err() {
            return Err(Flaw::Dtype);
        }
        let has = |flag| header.flags & flag != 0;
        if array.shape() != self.shape.slice() {
            Err(Flaw::Shape)
        } else if !has(NPY_ARRAY_C_CONTIGUOUS) || !has(NPY_ARRAY_ALIGNED) {
            Err(Flaw::NotContiguous)
        } else {
            match (self.access, has(NPY_ARRAY_WRITEABLE)) {
                (Access::Write, false) => Err(Flaw::ReadOnly),
                (Access::Read, true) => Err(Flaw::Unlocked),
                _ => Ok(()),
            }
        }
    }
}

/// An array with its cells, which are ours alone for `'a`.
pub(super) struct Exclusive<'a, 'py, T, D> {
    pub(super) array: &'a Bound<'py, PyArray<T, D>>,
    pub(super) cells: &'a mut [T],
    /// Rows that whoever writes the cells wants to find again.
    pub(super) rows: &'a mut Vec<usize>,
}

impl<'a, 'py, T: Element, D: Dimension> Exclusive<'a, 'py, T, D> {
    /// # Safety
    /// The array has passed [`Form::check`], and nobody else reads or writes its cells for `'a`.
    unsafe fn new(array: &'a Bound<'py, PyArray<T, D>>, rows: &'a mut Vec<usize>) -> Self {
        // SAFETY: see above. It is contiguous, so there is a slice. (Whether it is writeable is for others to heed.)
        let cells = unsafe { array.as_slice_mut() }.expect("the array is contiguous and aligned");
        Self { array, cells, rows }
    }
}

/// An array that owns its cells.
pub(super) struct Sole<T, D> {
    array: Py<PyArray<T, D>>,
    rows: Vec<usize>,
}

impl<T: Element, D: Dimension> Sole<T, D> {
    /// A new array of zeros.
    pub(super) fn new(py: Python<'_>, form: &Form<T, D>) -> Self {
        let array = PyArray::zeros(py, form.shape.clone(), false);
        form.lock(&array);
        Self { array: array.unbind(), rows: Vec::new() }
    }

    /// Whether nobody else can get at the array.
    pub(super) fn is_free(&self, py: Python<'_>) -> bool {
        let array = self.array.bind(py);
        // SAFETY: we are attached.
        let holders = unsafe { ffi::Py_REFCNT(array.as_ptr()) };
        // A weak reference can be made into another one.
        holders == 1 && header(array).weakreflist.is_null()
    }

    /// The array; a new one instead if somebody else can get at it, or has set something and let go of it.
    pub(super) fn lend<'a, 'py>(
        &'a mut self,
        py: Python<'py>,
        form: &Form<T, D>,
    ) -> Exclusive<'a, 'py, T, D> {
        let fit = |array| {
            let header = header(array);
            header.flags & NPY_ARRAY_OWNDATA != 0 && form.check(array, &header).is_ok()
        };
        if !self.is_free(py) || !fit(self.array.bind(py)) {
            *self = Self::new(py, form);
        }
        // SAFETY: the only reference is ours, lent by `&mut`. The cells are the array's own, and whoever looked into them would
        // hold it.
        unsafe { Exclusive::new(self.array.bind(py), &mut self.rows) }
    }
}

/// Memory for many arrays.
pub(super) struct Block {
    bytes: Py<PyArray1<u8>>,
    carved: usize,
}

/// What parts of a block begin at multiples of.
const ALIGNMENT: usize = 64;

/// Bytes that an array takes up in a block.
pub(super) fn bytes_in_block<T, D: Dimension>(shape: &D) -> usize {
    (shape.size() * size_of::<T>()).next_multiple_of(ALIGNMENT)
}

impl Block {
    /// Zeros.
    pub(super) fn new(py: Python<'_>, bytes: usize) -> Self {
        Self { bytes: PyArray1::zeros(py, bytes, false).unbind(), carved: 0 }
    }

    /// The block for us alone.
    pub(super) fn borrow<'py>(&self, py: Python<'py>) -> Result<BorrowedBlock<'py>, BorrowError> {
        self.bytes.bind(py).try_readwrite().map(BorrowedBlock)
    }

    /// The next part of the block as an array.
    ///
    /// # Errors
    /// If there is not so much left.
    pub(super) fn carve<T: Element, D: Dimension>(
        &mut self,
        py: Python<'_>,
        form: &Form<T, D>,
    ) -> PyResult<Carved<T, D>> {
        let offset = self.carved;
        let end = offset + form.shape.size() * size_of::<T>();
        let part = PySlice::new(py, offset as isize, end as isize, 1);
        let shape = PyTuple::new(py, form.shape.slice())?;
        let array = self.bytes.bind(py).get_item(part)?;
        let array = array.call_method1("view", (form.dtype.bind(py),))?.call_method1("reshape", (shape,))?;
        self.carved = offset + bytes_in_block::<T, D>(&form.shape);
        let array = array.cast_into()?;
        form.lock(&array);
        Ok(Carved { array: array.unbind(), offset, rows: Vec::new() })
    }
}

/// A block that is ours alone. Its parts can be had, but not the whole.
pub(super) struct BorrowedBlock<'py>(PyReadwriteArray1<'py, u8>);

/// Part of a [`Block`] as an array. Parts of one block do not overlap.
pub(super) struct Carved<T, D> {
    array: Py<PyArray<T, D>>,
    offset: usize,
    rows: Vec<usize>,
}

impl<T: Element, D: Dimension> Carved<T, D> {
    /// The array, while its block is ours.
    pub(super) fn lend<'a, 'py>(
        &'a mut self,
        block: &'a BorrowedBlock<'py>,
        form: &Form<T, D>,
    ) -> Result<Exclusive<'a, 'py, T, D>, Flaw> {
        let BorrowedBlock(block) = block;
        let array = self.array.bind(block.py());
        let header = header(array);
        let end = self.offset + form.shape.size() * size_of::<T>();
        if header.base != block.as_ptr()
            || header.data.addr() != block.data().addr() + self.offset
            || block.len() < end
        {
            return Err(Flaw::Moved);
        }
        form.check(array, &header)?;
        // SAFETY: its cells are the part of the block that was carved out for it, which nobody else can borrow while `block` is, and
        // which we lend by `&mut`.
        Ok(unsafe { Exclusive::new(array, &mut self.rows) })
    }
}
