//! Tables in Markdown, which a terminal shows as well.

/// Sets rows out under their heads, in columns that are as wide as their widest cell.
pub(crate) fn markdown(heads: &[&str], rows: &[Vec<String>]) -> String {
    let head: Vec<String> = heads.iter().map(|&head| head.to_owned()).collect();
    let widths: Vec<usize> = (0..head.len())
        .map(|column| {
            let cells = std::iter::once(&head).chain(rows);
            let cells = cells.filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let mut lines = vec![line(&head, &widths), line(&rule, &widths)];
    lines.extend(rows.iter().map(|row| line(row, &widths)));
    lines.join("\n")
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let padded: Vec<String> = cells
        .iter()
        .zip(widths)
        .map(|(cell, width)| format!("{cell:width$}"))
        .collect();
    format!("| {} |", padded.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [vec!["a".to_owned(), "long".to_owned()]];
        let table = "| id | n    |\n| -- | ---- |\n| a  | long |";
        assert_eq!(markdown(&["id", "n"], &rows), table);
    }
}
