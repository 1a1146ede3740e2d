//! Writes elements as PDF.

use invoices::InvoiceStatus;
use krilla::Document;
use krilla::action::LinkAction;
use krilla::annotation::{LinkAnnotation, Target};
use krilla::color::rgb;
use krilla::error::KrillaResult;
use krilla::geom::{Path, PathBuilder, Point, Rect, Size, Transform};
use krilla::image::Image;
use krilla::metadata::Metadata;
use krilla::num::NormalizedF32;
use krilla::page::{Page as Sheet, PageSettings};
use krilla::paint::{Fill, FillRule};
use krilla::surface::Surface;

use crate::color::{self, Color};
use crate::context::DocumentContext;
use crate::flow::PageElements;
use crate::run::Run;
use crate::sheet::{Area, Element, HEIGHT, WIDTH};
use crate::typesetter::Style;

/// The opacity of a watermark.
const WATERMARK_OPACITY: f32 = 0.13;
const WATERMARK_SIZE: f32 = 130.0;

/// What elements refer to.
pub(crate) struct Painter<'a> {
    pub(crate) context: &'a DocumentContext<'a>,
    pub(crate) logo: Option<&'a Image>,
}

impl Painter<'_> {
    /// The pages as a PDF.
    pub(crate) fn document(&self, pages: &[PageElements], about: Metadata) -> KrillaResult<Vec<u8>> {
        let mut document = Document::new();
        document.set_metadata(about);
        for page in pages {
            // A4 is a valid page size.
            let settings = PageSettings::from_wh(WIDTH, HEIGHT).unwrap_or_default();
            let mut sheet = document.start_page_with(settings);
            let mut surface = sheet.surface();
            for element in page {
                self.put(&mut surface, element);
            }
            self.watermark(&mut surface);
            surface.finish();
            self.link(&mut sheet, page);
            sheet.finish();
        }
        document.finish()
    }

    fn put(&self, surface: &mut Surface<'_>, element: &Element) {
        match element {
            Element::Text { left, baseline, size, color, run } => {
                surface.set_fill(Some(fill(*color, NormalizedF32::ONE)));
                self.text(surface, run, Point::from_xy(*left, *baseline), *size);
            }
            Element::Fill { area, radius, color } => {
                if let Some(path) = path(*area, *radius) {
                    surface.set_fill(Some(fill(*color, NormalizedF32::ONE)));
                    surface.draw_path(&path);
                }
            }
            Element::Logo(area) => {
                if let (Some(image), Some(size)) = (self.logo, Size::from_wh(area.width, area.height)) {
                    surface.push_transform(&Transform::from_translate(area.left, area.top));
                    surface.draw_image(image.clone(), size);
                    surface.pop();
                }
            }
            Element::Link(_) => {}
        }
    }

    fn text(&self, surface: &mut Surface<'_>, run: &Run, start: Point, size: f32) {
        if !run.glyphs.is_empty() {
            let font = self.context.typesetter.typefaces.of(run.weight).font();
            surface.draw_glyphs(start, &run.glyphs, font, &run.text, size, false);
        }
    }

    /// The watermark is painted last and transparent: nothing covers it, and everything below stays readable.
    fn watermark(&self, surface: &mut Surface<'_>) {
        let word = watermark(self.context.invoice.status).filter(|_| self.context.has_watermark);
        let Some((word, color)) = word else {
            return;
        };
        let style = self.context.typesetter.fitted(word, Style::STRONG.sized(WATERMARK_SIZE), WIDTH);
        let run = self.context.typesetter.run(word, style);
        let (x, y) = (WIDTH / 2.0, HEIGHT / 2.0);
        let opacity = NormalizedF32::new(WATERMARK_OPACITY).unwrap_or(NormalizedF32::ONE);
        surface.push_transform(&Transform::from_rotate_at(-35.0, x, y));
        surface.set_fill(Some(fill(color, opacity)));
        let start = Point::from_xy(x - run.width * style.size / 2.0, y + style.size * 0.36);
        self.text(surface, &run, start, style.size);
        surface.pop();
    }

    fn link(&self, sheet: &mut Sheet<'_>, page: &PageElements) {
        for element in page {
            let Element::Link(area) = element else {
                continue;
            };
            if let Some(rect) = Rect::from_xywh(area.left, area.top, area.width, area.height) {
                let target = Target::Action(LinkAction::new(self.context.pay_url.to_owned()).into());
                let link = LinkAnnotation::new(rect, target);
                let says = Some("The invoice's payment page".to_owned());
                sheet.add_annotation(krilla::annotation::Annotation::new_link(link, says));
            }
        }
    }
}

/// The watermark of an invoice that is not to be paid, and its colour.
fn watermark(status: InvoiceStatus) -> Option<(&'static str, Color)> {
    match status {
        InvoiceStatus::Draft => Some(("DRAFT", color::MUTED)),
        InvoiceStatus::Paid => Some(("PAID", color::GREEN)),
        InvoiceStatus::Cancelled => Some(("CANCELLED", color::RED)),
        InvoiceStatus::Scheduled
        | InvoiceStatus::Unpaid
        | InvoiceStatus::Overdue
        | InvoiceStatus::PartiallyPaid => None,
    }
}

fn fill(color: Color, opacity: NormalizedF32) -> Fill {
    let [red, green, blue] = color.parts();
    Fill { paint: rgb::Color::new(red, green, blue).into(), opacity, rule: FillRule::default() }
}

/// A rectangle with rounded corners; `None` when it is empty.
fn path(area: Area, radius: f32) -> Option<Path> {
    let mut path = PathBuilder::new();
    let (left, top) = (area.left, area.top);
    let (right, bottom) = (left + area.width, top + area.height);
    if radius <= 0.0 {
        path.push_rect(Rect::from_ltrb(left, top, right, bottom)?);
        return path.finish();
    }
    let r = radius.min(area.width / 2.0).min(area.height / 2.0);
    path.move_to(left + r, top);
    path.line_to(right - r, top);
    path.quad_to(right, top, right, top + r);
    path.line_to(right, bottom - r);
    path.quad_to(right, bottom, right - r, bottom);
    path.line_to(left + r, bottom);
    path.quad_to(left, bottom, left, bottom - r);
    path.line_to(left, top + r);
    path.quad_to(left, top, left + r, top);
    path.close();
    path.finish()
}
