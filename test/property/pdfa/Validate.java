import java.io.File;
import java.util.TreeSet;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/** Validates files with veraPDF: `flavour file...`. For each, a line with true or false, and lines of what fails. */
public class Validate {
  public static void main(String[] args) throws Exception {
    VeraGreenfieldFoundryProvider.initialise();
    PDFAFlavour flavour = PDFAFlavour.fromString(args[0]);
    for (int index = 1; index < args.length; index++) {
      try (PDFAParser parser = Foundries.defaultInstance().createParser(new File(args[index]), flavour);
          PDFAValidator validator = Foundries.defaultInstance().createValidator(flavour, false)) {
        ValidationResult result = validator.validate(parser);
        System.out.println(result.isCompliant() + " " + args[index]);
        TreeSet<String> failures = new TreeSet<>();
        for (TestAssertion failure : result.getTestAssertions()) {
          failures.add("  " + failure.getRuleId().getClause() + ": " + failure.getMessage());
        }
        failures.forEach(System.out::println);
      }
    }
  }
}
